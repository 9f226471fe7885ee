import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { createWorld, type Phone, type Program, type World } from './index.ts';

let world: World;
async function open(program?: Program | string): Promise<World> {
  world = await createWorld(program === undefined ? {} : { program });
  return world;
}
afterEach(() => world.close());

const document = (verbs: string) => `<Response>${verbs}</Response>`;
const menu = document(
  '<GetDigits action="https://program.test/menu" numDigits="1" timeout="30"><Speak>Press one for sales.</Speak></GetDigits>',
);
const speaks =
  (text: string): Program =>
  () =>
    document(`<Speak>${text}</Speak><Wait length="600"/>`);
const american = '+14155550100';

describe('a phone of a world', () => {
  it('calls a path of the program, hears its words, presses a key and hears the answer', async () => {
    await open(({ path, fields }) =>
      path === '/answer' ? menu : document(`<Speak>You pressed ${fields.Digits}.</Speak>`),
    );
    const phone = world.phone(american);
    await phone.dial('/answer');
    await phone.hears('press one');
    await phone.press('1');
    await phone.hears(/You pressed (\d)/);
    assert.equal((await phone.ended()).by, 'remote-bye');
    const events = world.requests.map(({ path, fields }) => [path, fields.Event, fields.From]);
    assert.deepEqual(events, [
      ['/answer', 'StartApp', '+14155550100'],
      ['/menu', 'Redirect', '+14155550100'],
      ['/answer', 'Hangup', '+14155550100'],
    ]);
  });

  it('waits ten minutes of the call within seconds', async () => {
    const wait = '<Speak>Hold the line.</Speak><Wait length="590"/><Speak>Here is an agent.</Speak>';
    await open(() => document(wait));
    const phone = world.phone(american);
    await phone.dial('/answer');
    await phone.hears('hold the line');
    const before = world.now();
    await phone.hears('here is an agent', { within: '10 min' });
    assert.ok(world.now() - before > 585_000);
  });

  it('says in the message of a failed expectation what it has heard', async () => {
    await open(speaks('Good morning.'));
    const phone = world.phone(american);
    await phone.dial('/answer');
    await assert.rejects(phone.hears('Good evening', { within: '5 s' }), {
      code: 'not-within',
      message: '+14155550100 did not hear "Good evening"; it heard "Good morning." (limit: 5 s).',
    });
  });

  it('hears what another one says, presses and plays through the platform', async () => {
    await open(() => document('<Dial><Number>+442079460100</Number></Dial>'));
    const caller = world.phone(american);
    const callee = await world.phone('+442079460100').behaves({ answersAfter: '5 s' }).ready();
    const dialled = caller.dial('/answer');
    await dialled;
    await callee.answered();
    await callee.says('Hello, who is there?');
    await caller.hears('who is there?');
    await caller.says('It is me.');
    await callee.hears('it is me');
    await caller.press('42#');
    await callee.hearsKeys('42#');
    await callee.hangUp();
    await caller.ended();
  });

  it('is called by the API, and refuses as the test says', async () => {
    await open(speaks('Hello.'));
    const phone = await world.phone(american).ready();
    const callOf = async ({ to }: Phone) => {
      const fields = {
        from: '+12025550000',
        to,
        answer_url: world.url('/answer'),
        hangup_url: world.url('/ended'),
      };
      assert.equal((await world.api('POST', 'Call/', fields)).status, 201);
      const known = world.requests.length;
      await world.until('the end', () => world.requests.slice(known).some(({ path }) => path === '/ended'), {
        within: '3 min',
      });
      return world.requests.at(-1)!.fields.HangupCause;
    };
    assert.match((await callOf(phone.behaves('busy')))!, /busy/i);
    assert.match((await callOf(phone.behaves({ rejects: 603 })))!, /declined/i);
    assert.match((await callOf(phone.behaves('rings')))!, /no answer|ring/i);
  });

  it('of an endpoint is registered, and hears a file by its URL', async () => {
    await open(({ path }) =>
      path.endsWith('.mp3') ? 'file' : document('<Play>https://program.test/welcome.mp3</Play>'),
    );
    const phone = world.endpoint('alice');
    await phone.ready();
    const { body } = await world.api('GET', 'Endpoint/');
    assert.equal(body.objects[0].sip_registered, 'true');
    const caller = world.phone(american);
    await caller.dial('/answer');
    await caller.hears('welcome.mp3');
  });
});

describe('a program', () => {
  it('may be a server that runs, and may send requests of its own', async () => {
    const server = createServer((_, response) => response.end(document('<Speak>From a server.</Speak>')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const phone = await world.phone(american).ready();
      const { authId, authToken } = world.account;
      const answer = await fetch(`${await world.listen()}/v1/Account/${authId}/Call/`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${authId}:${authToken}`)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ from: '+12025550000', to: phone.to, answer_url: world.url('/answer') }),
      });
      assert.equal(answer.status, 201, await answer.text());
      await phone.hears('from a server');
    } finally {
      server.close().closeAllConnections();
    }
  });

  it('that is a server which is not there fails the expectation with the reason', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const own = await createWorld({ program: `http://127.0.0.1:${port}` });
    await assert.rejects(own.phone(american).dial('/answer'), /The program threw: .*ECONNREFUSED/s);
    await assert.rejects(own.close(), /fetch failed/);
    await open();
  });

  it('that throws fails the expectation with its error, and the end of the world', async () => {
    const own = await createWorld({
      program() {
        throw new Error('no such customer');
      },
    });
    const phone = own.phone(american);
    await assert.rejects(phone.dial('/answer'), /The program threw: Error: no such customer/);
    await assert.rejects(own.close(), { message: 'no such customer' });
    await open();
  });
});
