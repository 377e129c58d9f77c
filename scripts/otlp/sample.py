"""A request with two spans as OpenTelemetry's own protobuf library writes it, for `chassis` to agree with.

python3 -m venv target/otlp && target/otlp/bin/pip install opentelemetry-proto
target/otlp/bin/python scripts/otlp/sample.py > services/chassis/src/trace/sample.txt
"""

from importlib.metadata import version

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status


def said(to, key, value):
    one = to.add(key=key)
    if isinstance(value, int):
        one.value.int_value = value
    else:
        one.value.string_value = value


def service(request, name):
    of = request.resource_spans.add()
    said(of.resource.attributes, "service.namespace", "danmaku")
    said(of.resource.attributes, "service.name", name)
    said(of.resource.attributes, "service.version", "VERSION")
    said(of.resource.attributes, "service.instance.id", "i1")
    return of.scope_spans.add()


def span(scope, name, kind, ids, parent=b""):
    trace, own = ids
    return scope.spans.add(
        trace_id=bytes.fromhex(trace), span_id=bytes.fromhex(own), parent_span_id=parent, name=name, kind=kind, flags=1,
        start_time_unix_nano=1_790_000_000_000_000_000, end_time_unix_nano=1_790_000_000_012_345_678)


request = ExportTraceServiceRequest()
TRACE = "0af7651916cd43dd8448eb211c80319c"
door = span(service(request, "ingest"), "send danmaku-input", Span.SPAN_KIND_PRODUCER, (TRACE, "b7ad6b7169203331"))
door.links.add(trace_id=bytes.fromhex("ff" * 16), span_id=bytes.fromhex("ee" * 8))
door.dropped_links_count = 3
said(door.attributes, "messaging.message.id", "1-3-7")
hall = span(service(request, "fanout"), "process danmaku-output", Span.SPAN_KIND_CONSUMER, (TRACE, "00f067aa0ba902b7"),
            parent=bytes.fromhex("b7ad6b7169203331"))
said(hall.attributes, "messaging.kafka.offset", 300)
said(hall.attributes, "error.type", "undecodable")
hall.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR))

print(f"# by scripts/otlp/sample.py: opentelemetry-proto {version('opentelemetry-proto')}")
print(request.SerializeToString(deterministic=True).hex())
