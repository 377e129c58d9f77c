//! Where a request really comes from when proxies stand in front. Pure: addresses in, one address out.
//! Kept out: limits and bans on addresses, and the names of headers other than `X-Forwarded-For`.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use ipnet::IpNet;

/// The address of who sent the request: the last `X-Forwarded-For` hop that a trusted proxy added, else the peer.
///
/// Each proxy appends whom it heard, so the list is read from the right, for as long as the one who wrote a hop is
/// trusted. What stands further left was written by the client and can be anything.
#[must_use]
pub fn of_request(peer: SocketAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or_default()).collect();
    of_hops(peer.ip(), lines.iter().flat_map(|line| line.split(',')).rev(), trusted)
}

/// As [`of_request`], from the hops of all header lines, the last first.
fn of_hops<'a>(peer: IpAddr, hops_from_last: impl Iterator<Item = &'a str>, trusted: &[IpNet]) -> IpAddr {
    let mut address = peer.to_canonical();
    for hop in hops_from_last {
        if !is_trusted(address, trusted) {
            break;
        }
        // A hop nobody can read is no address: the proxy that let it through stands for it.
        let Some(heard) = parse(hop) else { break };
        address = heard;
    }
    address
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`, as proxies write them.
fn parse(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address = hop.parse::<IpAddr>().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|a| a.ip())).or_else(bare);
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn check(peer: &str, lines: &[&str], expected: &str) {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "fd00::/8"].iter().map(|net| net.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let peer = SocketAddr::new(peer.parse().unwrap(), 4711);
        assert_eq!(of_request(peer, &headers, &trusted).to_string(), expected, "{peer} {lines:?}");
    }

    #[test]
    fn a_peer_that_is_no_proxy_is_the_viewer() {
        check("203.0.113.9", &[], "203.0.113.9");
        check("203.0.113.9", &["192.0.2.1"], "203.0.113.9");
        check("::ffff:203.0.113.9", &[], "203.0.113.9");
    }

    #[test]
    fn the_last_hop_a_trusted_proxy_added_is_the_viewer() {
        check("10.0.0.1", &["192.0.2.1"], "192.0.2.1");
        check("10.0.0.1", &["6.6.6.6, 192.0.2.1"], "192.0.2.1");
        check("10.0.0.1", &["6.6.6.6", "192.0.2.1"], "192.0.2.1");
        check("10.0.0.1", &["6.6.6.6, 192.0.2.1, 10.0.0.2"], "192.0.2.1");
        check("fd00::1", &["2001:db8::7"], "2001:db8::7");
        check("::ffff:10.0.0.1", &["::ffff:192.0.2.1"], "192.0.2.1");
    }

    #[test]
    fn ports_and_brackets_are_understood() {
        check("10.0.0.1", &["192.0.2.1:5000"], "192.0.2.1");
        check("10.0.0.1", &["[2001:db8::7]:5000"], "2001:db8::7");
        check("10.0.0.1", &["[2001:db8::7]"], "2001:db8::7");
    }

    #[test]
    fn an_unreadable_hop_ends_the_walk_at_who_let_it_through() {
        check("10.0.0.1", &["unknown"], "10.0.0.1");
        check("10.0.0.1", &["192.0.2.1, garbage, 10.0.0.2"], "10.0.0.2");
        check("10.0.0.1", &[""], "10.0.0.1");
        check("10.0.0.1", &["ÿ"], "10.0.0.1");
    }

    #[test]
    fn when_all_are_proxies_the_first_of_them_asked() {
        check("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
        check("10.0.0.1", &[], "10.0.0.1");
    }
}
