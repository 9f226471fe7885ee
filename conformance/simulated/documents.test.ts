import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
  seededRandom,
  speechHz,
  toneFile,
  toneMeter,
} from '@jackfield/testkit';

const base = 'https://customer.example.com';

/** Repeats a run: `SEED=4711 npx node tools/run-tests.ts simulated/documents`. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

async function callerOf(world: SimulatedWorld, name: string, path: string): Promise<SimulatedPhone> {
  const { body } = await world.api('POST', 'Application/', {
    app_name: `app-${name}`,
    answer_url: base + path,
    hangup_url: `${base}/hangup`,
  });
  const phone = await world.phone(name);
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  const endpoint = objects.find((each: { username: string }) => each.username === phone.username);
  const attached = await world.api('POST', `Endpoint/${endpoint.endpoint_id}/`, { app_id: body.app_id });
  assert.equal(attached.status, 202);
  return phone;
}

const asked = (world: SimulatedWorld, path: string) =>
  world.customer.requests.find(({ url }) => url === base + path)?.fields;

async function callbackAt(world: SimulatedWorld, path: string) {
  await world.until(`${path} is asked`, () => asked(world, path) !== undefined, 30_000);
  return asked(world, path) ?? {};
}

function hears(call: PhoneCall, hz: number): number {
  const meter = toneMeter(hz);
  return call.heard.filter(({ samples }) => meter(samples) > -40).length;
}

describe('an application', () => {
  it('that is dialled by its identifier answers, whatever the caller’s own endpoint is attached to', () =>
    inSimulatedWorld({ seed: 50 }, async (world) => {
      world.customer.serve(`${base}/own`, '<Response><Hangup reason="busy"/></Response>');
      world.customer.serve(`${base}/dialled`, '<Response><Speak>You have dialled us.</Speak></Response>');
      const phone = await callerOf(world, 'ann', '/own');
      const { body } = await world.api('POST', 'Application/', {
        app_name: 'dialled',
        answer_url: `${base}/dialled`,
        answer_method: 'GET',
      });
      const call = phone.dial(body.app_id);
      const { To } = await callbackAt(world, '/dialled');
      assert.equal(To, body.app_id);
      await world.until('the end', () => call.end !== undefined, 10_000);
      assert.ok(hears(call, speechHz) > 20);
      // docs/interface/applications.md#hangup-url: without a hangup_url the callback of the end goes to answer_url.
      await world.until('the end is reported', () =>
        world.customer.requests.some(
          ({ url, fields }) => url === `${base}/dialled` && fields.Event === 'Hangup',
        ),
      );
    }));

  it('that its endpoint was detached from leaves its calls to go straight to whom they name', () =>
    inSimulatedWorld({ seed: 49 }, async (world) => {
      const bob = await world.phone('bob', { toneHz: 2000 });
      world.customer.serve(`${base}/own`, '<Response><Hangup reason="busy"/></Response>');
      const phone = await callerOf(world, 'ann', '/own');
      const { objects } = (await world.api('GET', 'Application/')).body;
      assert.equal((await world.api('DELETE', `Application/${objects[0].app_id}/`)).status, 204);
      const call = phone.dial(bob.username);
      await world.until('Bob is heard', () => hears(call, 2000) > 20, 10_000);
      assert.equal(asked(world, '/own'), undefined);
      call.hangUp();
    }));
});

describe('phones that press keys', () => {
  it('a digit cuts the prompt off, and the pressed keys are sent without the key that ends them', () =>
    inSimulatedWorld({ seed: 51 }, async (world) => {
      const text = 'A long menu that no caller hears to its end again.';
      world.customer.serve(
        `${base}/menu`,
        `<Response><GetDigits action="${base}/digits" timeout="5"><Speak>${text}</Speak></GetDigits></Response>`,
      );
      world.customer.serve(`${base}/digits`, '<Response><Hangup/></Response>');
      const phone = await callerOf(world, 'ann', '/menu');
      const call = phone.dial('support');
      await world.until('the prompt', () => hears(call, speechHz) > 10);
      call.press('42#');
      assert.equal((await callbackAt(world, '/digits')).Digits, '42');
      assert.ok(hears(call, speechHz) < (text.length * 40) / 20 - 20, 'the prompt ended before its time');
      await world.until('the end', () => call.end !== undefined);
    }));

  it('an invalid digit is answered with its sound, and the menu begins again', () =>
    inSimulatedWorld({ seed: 52 }, async (world) => {
      world.customer.serve(`${base}/wrong`, toneFile(1250, 400));
      world.customer.serve(
        `${base}/menu`,
        `<Response><GetDigits action="${base}/digits" numDigits="1" validDigits="12" retries="2" timeout="5" invalidDigitsSound="${base}/wrong"><Speak>One or two?</Speak></GetDigits></Response>`,
      );
      const phone = await callerOf(world, 'ann', '/menu');
      const call = phone.dial('support');
      await world.until('the prompt', () => hears(call, speechHz) > 10);
      call.press('7');
      await world.until('the sound', () => hears(call, 1250) > 15);
      const before = hears(call, speechHz);
      await world.until('the prompt again', () => hears(call, speechHz) > before + 5);
      call.press('2');
      assert.equal((await callbackAt(world, '/digits')).Digits, '2');
      call.hangUp();
    }));

  it('a caller that is not answered yet hears what PreAnswer plays, and is answered by what follows', () =>
    inSimulatedWorld({ seed: 53 }, async (world) => {
      world.customer.serve(`${base}/ad`, toneFile(1250, 600));
      world.customer.serve(
        `${base}/pre`,
        `<Response><PreAnswer><Play>${base}/ad</Play></PreAnswer><Speak>Hello.</Speak></Response>`,
      );
      const phone = await callerOf(world, 'ann', '/pre');
      const call = phone.dial('support');
      await world.until('early media', () => hears(call, 1250) > 20);
      assert.equal(call.answeredAt, undefined);
      await world.until('the end', () => call.end !== undefined, 10_000);
      assert.notEqual(call.answeredAt, undefined);
      assert.ok(hears(call, speechHz) > 5);
    }));

  it('a callee that presses the confirm key is connected; the caller hears it only then', () =>
    inSimulatedWorld({ seed: 54 }, async (world) => {
      const callee = await world.phone('bob', { toneHz: 2000 });
      world.customer.serve(`${base}/confirm`, toneFile(1250, 300));
      world.customer.serve(
        `${base}/dial`,
        `<Response><Dial confirmSound="${base}/confirm" confirmKey="5"><User>sip:${callee.username}@sip.example.com</User></Dial></Response>`,
      );
      const phone = await callerOf(world, 'ann', '/dial');
      const call = phone.dial('support');
      await world.until(
        'the question',
        () => callee.call !== undefined && hears(callee.call, 1250) > 10,
        10_000,
      );
      assert.equal(hears(call, 2000), 0, 'no other leg is connected before the key');
      callee.call?.press('5');
      await world.until('the callee is heard', () => hears(call, 2000) > 20, 10_000);
      await world.until('the caller is heard', () => hears(callee.call!, phone.toneHz) > 20);
      callee.hangUp();
      await world.until('the end', () => call.end !== undefined, 10_000);
    }));

  for (const relays of [true, false])
    it(`keys in a multiparty call of two reach the other ${relays ? 'once with' : 'never without'} relayDTMFInputs`, () =>
      inSimulatedWorld({ seed: 55 }, async (world) => {
        const room = `<MultiPartyCall role="agent" relayDTMFInputs="${relays}" enterSound="none">keys</MultiPartyCall>`;
        world.customer.serve(`${base}/join`, `<Response>${room}</Response>`);
        const [ann, bob] = [await callerOf(world, 'ann', '/join'), await callerOf(world, 'bob', '/join')];
        const [from, to] = [ann.dial('support'), bob.dial('support')];
        await world.until(
          'both are heard',
          () => hears(to, ann.toneHz) > 50 && hears(from, bob.toneHz) > 50,
          20_000,
        );
        from.press('42#');
        await world.advance(3000);
        assert.equal(to.audio.keysHeard.join(''), relays ? '42#' : '');
        from.hangUp();
        to.hangUp();
      }));
});

/** Pieces of documents; the action of a piece serves the next piece. */
const pieces: readonly ((next: string, user: string) => string)[] = [
  () => '<Speak>Some words.</Speak>',
  () => `<Play>${base}/tone</Play>`,
  () => `<Play>${base}/missing</Play>`,
  () => '<Wait length="1" silence="true"/>',
  () => '<DTMF>12</DTMF>',
  (next) => `<GetDigits action="${next}" timeout="1" numDigits="2"><Speak>Digits?</Speak></GetDigits>`,
  (next) => `<GetInput action="${next}" inputType="dtmf" executionTimeout="5" digitEndTimeout="2"/>`,
  (next) => `<Record action="${next}" maxLength="2" timeout="2" fileFormat="wav"/>`,
  (next) => `<Record action="${next}" recordSession="true" redirect="false" maxLength="60"/>`,
  (next, user) =>
    `<Dial action="${next}" timeout="5" timeLimit="3"><User>sip:${user}@sip.example.com</User></Dial>`,
  (_, user) =>
    `<Dial timeout="3" hangupOnStar="true" dialMusic="${base}/tone"><User>sip:${user}@sip.example.com</User></Dial>`,
  () => '<MultiPartyCall role="agent" stayAlone="true" enterSound="none">walk</MultiPartyCall>',
  (next) => `<Redirect>${next}</Redirect>`,
  () => `<PreAnswer><Play>${base}/tone</Play></PreAnswer>`,
  () => '<Hangup schedule="3"/>',
];

describe(`random documents, seed ${seed}`, () => {
  for (let run = 0; run < 6; run++) {
    it(`whatever phones, documents and the API do, each call ends once, is reported once, and nothing is left (${seed + run})`, () =>
      inSimulatedWorld({ seed: seed + run }, (world) => walk(world, seededRandom(seed + run))));
  }
});

type Pick = <Item>(items: readonly Item[]) => Item;

/** Servers are slow, broken or silent now and then. */
function randomAnswers(users: readonly string[], random: () => number, pick: Pick) {
  const document = (): string => {
    const user = pick(users);
    const elements = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      pick(pieces)(`${base}/next`, user),
    );
    return `<Response>${elements.join('')}</Response>`;
  };
  return () => {
    const mood = random();
    if (mood < 0.08) return { status: 500 };
    if (mood < 0.12) return '<Response><Speak>';
    if (mood < 0.2) return { status: 200, body: document(), afterMs: 2000 };
    return mood < 0.22 ? undefined : document();
  };
}

/** Requests about a live call. */
function ordersTo(uuid: string, legs: string): readonly (readonly ['POST' | 'DELETE', string, object?])[] {
  return [
    ['DELETE', `Call/${uuid}/`],
    ['POST', `Call/${uuid}/`, { legs, aleg_url: `${base}/next`, bleg_url: `${base}/next` }],
    ['POST', `Call/${uuid}/Play/`, { urls: `${base}/tone`, loop: true }],
    ['DELETE', `Call/${uuid}/Play/`],
    ['POST', `Call/${uuid}/Speak/`, { text: 'Now you hear me.' }],
    ['POST', `Call/${uuid}/Record/`, { time_limit: 3 }],
    ['POST', `Call/${uuid}/DTMF/`, { digits: '12' }],
    ['POST', 'MultiPartyCall/name_other/Participant/', { role: 'customer', call_uuid: uuid }],
  ];
}

async function walk(world: SimulatedWorld, random: () => number): Promise<void> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const callees = [await world.phone('bob'), await world.phone('cat')];
  world.customer.serve(`${base}/tone`, toneFile(1250, 700));
  world.customer.serve(`${base}/missing`, { status: 404 });
  const users = [...callees.map(({ username }) => username), 'nobody'];
  const answer = randomAnswers(users, random, pick);
  world.customer.serve(`${base}/next`, answer);
  world.customer.serve(`${base}/answer`, answer);
  const caller = await callerOf(world, 'ann', '/answer');
  const made: string[] = [];

  for (let step = 0; step < 40; step++) {
    const phone = pick([caller, ...callees]);
    const live = phone.calls.filter((call) => call.end === undefined);
    switch (Math.floor(random() * 9)) {
      case 0:
      case 1:
        if (caller.calls.filter((call) => call.end === undefined).length < 3) caller.dial('support');
        break;
      case 2:
        if (live.length > 0) pick(live).press(pick(['1', '12', '*', '#', '5#']));
        break;
      case 3:
        if (live.length > 0) pick(live).hangUp();
        break;
      case 4: {
        const { status, body } = await world.api('POST', 'Call/', {
          from: '+12025550000',
          to: pick(callees).username,
          answer_url: `${base}/answer`,
          hangup_url: `${base}/hangup`,
        });
        assert.equal(status, 201, JSON.stringify(body));
        made.push(body.request_uuid);
        break;
      }
      case 5:
      case 6: {
        const { calls } = (await world.api('GET', 'Call/?status=live')).body;
        if (calls.length === 0) break;
        const uuid = pick<string>(calls);
        const [method, path, body] = pick(ordersTo(uuid, pick(['aleg', 'both'])));
        const { status } = await world.api(method, path, body);
        assert.ok(status < 500, `${method} ${path}: ${status}`);
        break;
      }
      default:
        callees[0]!.behaviour = pick([
          { does: 'answer', ringMs: Math.floor(random() * 1500) },
          { does: 'answer' },
          { does: 'reject', status: 486 },
          { does: 'ring' },
        ] as const);
    }
    await world.advance(Math.floor(random() * 1200));
  }
  await world.api('DELETE', 'Call/');
  for (const phone of [caller, ...callees]) phone.hangUp();
  await world.until(
    'no call is left',
    async () => (await world.api('GET', 'Call/?status=live')).body.calls.length === 0,
    60_000,
  );
  await world.advance(60_000);
  await assertEndedOnce(world, made);
}

/** Each call has ended once, with a callback, and each call that the API made has a record of its end. */
async function assertEndedOnce(world: SimulatedWorld, made: readonly string[]): Promise<void> {
  const ends = world.customer.requests.filter(
    ({ url, fields }) => url === `${base}/hangup` && fields.Event === 'Hangup',
  );
  const byCall = new Map<string, Set<string>>();
  for (const { fields, eventId } of ends) {
    const of = byCall.get(fields.CallUUID ?? '') ?? new Set();
    byCall.set(fields.CallUUID ?? '', of.add(eventId));
  }
  for (const [uuid, ids] of byCall) assert.equal(ids.size, 1, `${uuid} ended once`);
  for (const uuid of made) {
    const record = await world.api('GET', `Call/${uuid}/`);
    assert.equal(record.status, 200);
    assert.notEqual(record.body.end_time, null);
    assert.ok(byCall.has(uuid), `the end of ${uuid} was callbackAt`);
  }
}
