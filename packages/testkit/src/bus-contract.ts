import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bus, everyone, longestBusMessage } from '@jackfield/ports';

/** One bus, and how its connections are cut. */
export interface OpenBus {
  /** Resolves when messages reach the node. */
  join(incarnation: string): Promise<Bus>;
  cut(): Promise<void>;
  /** Resolves when messages reach the nodes again. */
  mend(...nodes: readonly Bus[]): Promise<void>;
  close(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: Uint8Array): string => new TextDecoder().decode(body);
const echo = (from: Bus, name: string) =>
  from.serve('echo', async (body, sender) => bytes(`${name} answers ${sender}: ${text(body)}`));

const noReceiver = { name: 'BusError', code: 'bus-no-receiver' };
const notConnected = { name: 'BusError', code: 'bus-not-connected' };
const noAnswer = { name: 'BusError', code: 'bus-no-answer' };

/** The common behaviour of all adapters of the bus. */
export function busContract(open: () => Promise<OpenBus>): void {
  /** Runs with two nodes, and closes all of it. */
  function onTwo(title: string, run: (one: Bus, two: Bus, bus: OpenBus) => Promise<void>): void {
    test(title, async () => {
      const bus = await open();
      const [one, two] = [await bus.join('one'), await bus.join('two')];
      try {
        await run(one, two, bus);
      } finally {
        await Promise.all([one.close(), two.close()]);
        await bus.close();
      }
    });
  }

  requestRules(onTwo);
  messageRules(onTwo);
  cutRules(onTwo);
}

type OnTwo = (title: string, run: (one: Bus, two: Bus, bus: OpenBus) => Promise<void>) => void;

function requestRules(onTwo: OnTwo): void {
  onTwo('a request reaches the addressed node alone, and its answer comes back', async (one, two, bus) => {
    const three = await bus.join('three');
    for (const [node, name] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const)
      echo(node, name);
    assert.equal(text(await one.ask('two', 'echo', bytes('hello'), 5_000)), 'two answers one: hello');
    assert.equal(text(await two.ask('three', 'echo', bytes(''), 5_000)), 'three answers two: ');
    await three.close();
  });

  onTwo('bodies arrive byte for byte, up to the longest', async (one, two) => {
    two.serve('same', async (body) => body);
    const longest = Uint8Array.from({ length: longestBusMessage }, (_, index) => index % 251);
    for (const body of [Uint8Array.of(0, 255, 13, 10, 0), longest])
      assert.deepEqual(Buffer.from(await one.ask('two', 'same', body, 5_000)), Buffer.from(body));
    const longer = new Uint8Array(longestBusMessage + 1);
    await assert.rejects(one.ask('two', 'same', longer, 5_000), { code: 'bus-too-long' });
  });

  onTwo('a request to a node that is not there is refused at once', async (one) => {
    const began = performance.now();
    await assert.rejects(one.ask('nine', 'echo', bytes('hello'), 60_000), noReceiver);
    assert.ok(performance.now() - began < 30_000);
  });

  onTwo('a request without an answer fails at its deadline, with an unknown outcome', async (one, two) => {
    let asked = 0;
    const arrived = Promise.withResolvers<void>();
    two.serve('silent', () => {
      asked++;
      arrived.resolve();
      return new Promise(() => {});
    });
    await assert.rejects(one.ask('two', 'silent', bytes('hello'), 100), noAnswer);
    // A busy server between the nodes may be later than the deadline.
    await arrived.promise;
    assert.equal(asked, 1);
  });

  onTwo('a node that fails to answer has an unknown outcome', async (one, two) => {
    two.serve('fails', async () => {
      throw new Error('broken');
    });
    two.serve('throws', () => {
      throw new Error('broken');
    });
    for (const subject of ['fails', 'throws'])
      await assert.rejects(one.ask('two', subject, bytes('hello'), 60_000), noAnswer);
  });

  onTwo('a subject has one handler', async (one) => {
    echo(one, 'one');
    assert.throws(() => echo(one, 'one'), /already has a handler/);
  });
}

function messageRules(onTwo: OnTwo): void {
  onTwo('messages from one node to another arrive in order', async (one, two) => {
    const seen: number[] = [];
    const all = Promise.withResolvers<void>();
    two.serve('count', (body) => {
      if (seen.push(Number(text(body))) === 200) all.resolve();
      return undefined;
    });
    for (let number = 0; number < 200; number++) one.notify('two', 'count', bytes(String(number)));
    await all.promise;
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, index) => index),
    );
  });

  onTwo('a message to everyone reaches all other nodes', async (one, two, bus) => {
    const three = await bus.join('three');
    const seen: string[] = [];
    const both = Promise.withResolvers<void>();
    for (const [node, name] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const)
      node.serve('news', (body, from) => {
        if (seen.push(`${name} from ${from}: ${text(body)}`) === 2) both.resolve();
        return undefined;
      });
    one.notify(everyone, 'news', bytes('x'));
    await both.promise;
    // A request behind it: a message to the sender itself would have arrived.
    echo(two, 'two');
    await one.ask('two', 'echo', bytes(''), 5_000);
    assert.deepEqual(seen.sort(), ['three from one: x', 'two from one: x']);
    await three.close();
  });
}

function cutRules(onTwo: OnTwo): void {
  onTwo('while the bus is cut requests are refused at once; after it all goes on', async (one, two, bus) => {
    echo(two, 'two');
    await one.ask('two', 'echo', bytes('before'), 5_000);
    const seen: string[] = [];
    two.serve('news', (body) => {
      seen.push(text(body));
      return undefined;
    });
    await bus.cut();
    while (one.isConnected || two.isConnected) await new Promise((resolve) => setTimeout(resolve, 5));
    await assert.rejects(one.ask('two', 'echo', bytes('meanwhile'), 60_000), notConnected);
    one.notify('two', 'news', bytes('lost'));
    await bus.mend(one, two);
    one.notify('two', 'news', bytes('after'));
    assert.equal(text(await one.ask('two', 'echo', bytes('after'), 5_000)), 'two answers one: after');
    assert.deepEqual(seen, ['after']);
  });

  onTwo('a node that has left is not there, and sends nothing', async (one, two) => {
    echo(one, 'one');
    echo(two, 'two');
    await two.close();
    assert.equal(two.isConnected, false);
    await assert.rejects(one.ask('two', 'echo', bytes('hello'), 60_000), noReceiver);
    await assert.rejects(two.ask('one', 'echo', bytes('hello'), 60_000), notConnected);
    two.notify('one', 'echo', bytes('hello'));
  });
}
