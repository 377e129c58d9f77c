# Every verb of this repository. CI calls nothing else.

.PHONY: help run build test test-fast e2e autobahn props web test-web weak-network bench-web e2e-browser dashboards-check alerts-check bench-fanout bench-filter fmt kafka-install doc deny k8s-check chart clean api-check release image nginx-check systemd-check kafka-tls-check

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## everything in one process on an embedded broker; ARGS="--listen 127.0.0.1:8000" is passed on
	@scripts/web try-build
	cargo run --release --bin danmaku -- $(ARGS)

build: ## all programs, optimized, in target/release
	@scripts/web try-build
	cargo build --release --workspace --bins

test: ## format, lints, unit and property tests, then the whole river on real Kafka
	@scripts/check all

test-fast: ## the same without services: no Java, no Kafka
	@scripts/check fast

e2e: ## the whole river on real Kafka, alone; ARGS="slow_viewer" picks tests by name
	@scripts/check e2e $(ARGS)

e2e-browser: ## the pages in Chromium, on the one-process program; pictures in target/screens; ARGS="moderation" picks files
	@scripts/check browser $(ARGS)

dashboards-check: ## the dashboards, and each of their queries answered by a real Prometheus over a river (Debian's prometheus needed)
	@scripts/dashboards-check $(ARGS)

alerts-check: ## the alerts, their cases and pages, and faults for which they fire (Debian's prometheus needed)
	@scripts/alerts-check $(ARGS)

autobahn: ## Autobahn's WebSocket cases against the hall's frame reader (Python 3.10 and PyPI needed)
	@scripts/autobahn

props: ## what holds for every text, list and judgement: the properties by number; SEED=7 does it again
	@seed=$${SEED:-$$(date +%s%N)}; echo "SEED=$$seed"; \
	PROPTEST_RNG_SEED=$$seed cargo test -p judge -- $$(seq -f 'p%02g_' 1 24)

weak-network: ## the SDK and two simpler clients on three bad networks, 6 minutes; ARGS="--minutes 2 --seed 7" (best as root)
	@scripts/weak-network $(ARGS)

bench-web: ## the viewer page at 200 danmaku a second in Chromium, 10 minutes; ARGS="--minutes 1"
	@scripts/bench-web $(ARGS)

bench-fanout: ## the hall's figures on real Kafka, 10 minutes; ARGS="--stall-minutes 10", ARGS="deliver" (two quiet cores)
	@scripts/bench-fanout $(ARGS)

bench-filter: ## the judge's figures by stages, and the filter's on real Kafka; ARGS="judge" (two quiet cores)
	@scripts/bench-filter $(ARGS)

web: ## the pages, for the programs built afterwards (Node 20.19 or later)
	@scripts/web build

test-web: ## types and unit tests of the SDK and the pages
	@scripts/web test

fmt: ## format all Rust code
	cargo fmt --all

kafka-install: ## fetch Apache Kafka's jars (54 MB, once; Java 17 and Maven needed)
	@scripts/kafka install

k8s-check: ## all manifests rendered, strict schemas, rules, checkov, the chart; no cluster (Python 3.10 and PyPI); ARGS="--self-test"
	@scripts/k8s-check $(ARGS)

chart: ## the Helm chart of the same objects, in target/k8s
	@scripts/k8s-check --chart
api-check: ## docs/openapi.yaml, docs/asyncapi.yaml and /openapi.json by their formats' own rules (PyPI and npm needed)
	@scripts/api-check

release: ## programs, manual pages, bill of materials and checksums of what is committed, in target/release-files
	@scripts/release $(ARGS)

image: ## an image of SERVICE=ingest, filter, fanout, moderation or danmaku, and a first start of it (buildah, root)
	@scripts/image $(SERVICE)

nginx-check: ## docs/nginx.conf on a real nginx in front of the one-process program (nginx, Python 3.10, PyPI)
	@scripts/nginx-check

systemd-check: ## the units of docs/systemd: valid, locked up, and a drain fits into the time to stop
	@scripts/systemd-check

kafka-tls-check: ## a Kafka with TLS, SCRAM and the accounts of the manifests: all works, and who may not in is told why (Java, OpenSSL); ARGS=FOLDER
	@scripts/kafka-tls-check $(ARGS)

doc: ## our crates' documentation, in target/doc
	cargo doc --workspace --no-deps

deny: ## licenses, duplicate versions, sources of all dependencies (cargo-deny needed)
	cargo deny check licenses bans sources

clean: ## remove what was built, and a Kafka that still runs; the jars stay
	@scripts/kafka stop
	cargo clean
