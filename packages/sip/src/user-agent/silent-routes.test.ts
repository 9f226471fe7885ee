import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Route, routeOfTarget } from './send-target.ts';
import { createSilentRoutes } from './silent-routes.ts';

const to = (host: string, protocol: 'udp' | 'tcp' = 'udp', port = 5060): Route =>
  routeOfTarget({ protocol, host, port });
const hosts = (routes: readonly Route[]): string => routes.map(({ host }) => host).join(' ');

describe('the order of targets', () => {
  it('has those last that were silent in the last five minutes, each part in its own order', () => {
    const silent = createSilentRoutes();
    const routes = ['a', 'b', 'c', 'd'].map((host) => to(host));
    silent.add(to('c'), 0);
    silent.add(to('a'), 1000);
    assert.equal(hosts(silent.last(routes, 1000)), 'b d a c');
    assert.equal(hosts(silent.last(routes, 300_000)), 'b c d a');
    assert.equal(hosts(silent.last(routes, 301_000)), 'a b c d');
  });

  it('distinguishes ports and transports, and knows no flows', () => {
    const silent = createSilentRoutes();
    const flow: Route = { target: { flow: 'f' }, protocol: 'udp', reliable: false };
    for (const route of [to('a', 'tcp'), to('a', 'udp', 5070), flow]) silent.add(route, 0);
    const routes = [to('a'), to('b')];
    assert.equal(hosts(silent.last(routes, 0)), 'a b');
    assert.deepEqual(silent.last([flow, ...routes], 0), [flow, ...routes]);
  });

  it('remembers 1,000 silent targets, and forgets the oldest first', () => {
    const silent = createSilentRoutes();
    for (let number = 0; number <= 1000; number += 1) silent.add(to(`h${number}`), number);
    const order = (host: string): string => hosts(silent.last([to(host), to('b')], 1000));
    assert.deepEqual(['h0', 'h1', 'h1000'].map(order), ['h0 b', 'b h1', 'b h1000']);
  });
});
