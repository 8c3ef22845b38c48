// Loaded into every Node.js process of a run: nothing has a name but loopback. Third-party clients ask public
// nodes for balances and symbols before they pay; a machine whose resolver is silent keeps them waiting for
// longer than an offer is good for.

import dns from 'node:dns';
import { isIP } from 'node:net';

const lookup = dns.lookup;

dns.lookup = (hostname, options, done = options) => {
  if (isIP(hostname) || hostname === 'localhost') return lookup(hostname, options, done);
  const error = new Error(`${hostname} is not on loopback`);
  process.nextTick(done, Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname }));
};
