import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createSimulatedPage, type SimulatedPage } from '../testing/simulated-page.ts';
import { Phone, type PhoneOptions } from './phone.ts';

const url = 'wss://voice.example.com/sip';
const second = 1_000;

/** A token of a user that lives so long. */
function token(page: SimulatedPage, validS: number, name = 'one'): string {
  const now = page.clock.now() / second;
  const claims = { sub: 'alice', iss: 'MA1', nbf: now, exp: now + validS, jti: name };
  return `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${name}`;
}

/** A phone on a simulated page; nothing of it is left after the test. */
function phoneOn(
  t: TestContext,
  options: Partial<PhoneOptions> | ((page: SimulatedPage) => Partial<PhoneOptions>),
) {
  const page = createSimulatedPage();
  const given = typeof options === 'function' ? options(page) : options;
  const phone = new Phone({ url, ...given }, page.environment);
  t.after(async () => {
    phone.close();
    await page.clock.advance(70 * second);
    page.close();
    assert.equal(page.clock.pending, 0, 'no timer is left');
    assert.ok(
      page.media.every(({ isClosed }) => isClosed),
      'no audio is left',
    );
  });
  return { page, phone };
}

const byPassword = { username: 'alice', password: 'secret' };

async function registered(t: TestContext, options: Parameters<typeof phoneOn>[1] = byPassword) {
  const { page, phone } = phoneOn(t, options);
  const done = phone.register();
  await page.clock.advance(50);
  await done;
  return { page, phone };
}

/** A call that talks. */
async function talking(t: TestContext) {
  const { page, phone } = await registered(t);
  const call = phone.call('+12025550100');
  const log: string[] = [];
  for (const event of ['accepted', 'connected', 'reconnecting', 'reconnected'] as const)
    call.on(event, () => log.push(event));
  call.on('ended', ({ by }) => log.push(`ended ${by}`));
  await page.clock.advance(100);
  const media = page.media[0]!;
  media.listener.connection('connected');
  await page.clock.advance(100);
  assert.deepEqual(log.splice(0), ['accepted', 'connected']);
  assert.equal(call.id, 'call-1');
  return { page, phone, call, media, log };
}

describe('a phone over sockets', () => {
  it('that cannot connect tries again after 0.25 s and more, up to 30 s, and registers when the server is back', async (t) => {
    const { page, phone } = await registered(t);
    page.isReachable = false;
    const from = page.openedAt.length;
    page.cut();
    await page.clock.advance(120 * second);
    const attempts = page.openedAt.slice(from);
    const waits = attempts.slice(1).map((at, index) => at - attempts[index]!);
    assert.ok(waits.length >= 7, String(waits));
    assert.ok(
      waits.every((wait, index) => wait >= (waits[index - 1] ?? 0)),
      `waits grow: ${waits}`,
    );
    assert.ok(
      waits[0]! <= second && waits.at(-1)! <= 30 * second && waits.at(-1)! >= 10 * second,
      String(waits),
    );
    assert.equal(phone.state, 'reconnecting');
    page.isReachable = true;
    await page.clock.advance(31 * second);
    assert.equal(phone.state, 'registered');
    assert.equal(page.registered.length, 2);
  });

  it('that gets no answer to a new connection begins another one after 10 s and its wait', async (t) => {
    const { page, phone } = await registered(t);
    const from = page.openedAt.length;
    page.isSilent = true;
    page.cut();
    await page.clock.advance(60 * second);
    const [first = 0, next = 0, ...others] = page.openedAt.slice(from);
    assert.ok(next - first >= 10 * second && next - first <= 11 * second, `${next - first} ms`);
    assert.ok(others.length >= 2, String(others));
    page.isSilent = false;
    await page.clock.advance(20 * second);
    assert.equal(phone.state, 'registered');
  });

  it('fetches its token again at 80 % of its life and registers with the next one', async (t) => {
    let fetched = 0;
    const { page } = await registered(t, (page) => ({
      token: () => token(page, 1_000, `token-${++fetched}`),
    }));
    assert.equal(fetched, 1);
    await page.clock.advance(799 * second);
    assert.equal(fetched, 1);
    await page.clock.advance(2 * second);
    assert.equal(fetched, 2);
    assert.match(page.registered.at(-1)!, /token-2$/);
  });

  for (const end of ['unregister', 'close'] as const)
    it(`register() rejects when ${end}() comes before its answer`, async (t) => {
      const { page, phone } = phoneOn(t, byPassword);
      page.isSilent = true;
      const first = assert.rejects(phone.register(), { name: 'VoiceError', code: 'wrong-state' });
      await page.clock.advance(second);
      phone[end]();
      await first;
      assert.equal(phone.state, 'offline');
    });

  it('that gets an argument which is not allowed throws a VoiceError with the value, and begins no call', async (t) => {
    const { page, phone } = await registered(t);
    const refuses = (act: () => unknown, message: RegExp) =>
      assert.throws(act, { name: 'VoiceError', code: 'invalid-argument', message });
    const wrong = ['', 'sip:', 'sip:a@b\r\nX-Evil: 1', 'sip:a@b c', '\ud800', undefined, 12025550100, null];
    for (const to of wrong as string[]) refuses(() => phone.call(to), /^to cannot be '/);
    for (const value of [5, undefined, 'one\r\ntwo', 'one\ntwo'] as string[])
      refuses(() => phone.call('+12025550100', { headers: { 'X-A': value } }), /'X-A'/);
    refuses(() => phone.call('+12025550100', { headers: { Via: 'b' } }), /'Via'/);
    for (const given of ['wss://', 'wss:', 'ws://a b', 'wss://a:99999', 'wss://a#b', 'https://a'])
      refuses(() => new Phone({ url: given, ...byPassword }, page.environment), /^url cannot be '/);
    assert.deepEqual([phone.calls, page.invites.length], [[], 0]);
  });

  it('calls numbers as people write them, usernames and SIP URIs', async (t) => {
    const { page, phone } = await registered(t);
    for (const to of ['+1 (202) 555-0100', 'zoë', 'sip:bob@192.0.2.1:5070;transport=tcp', 'SIPS:carol@host'])
      phone.call(to);
    await page.clock.advance(100);
    assert.deepEqual(
      page.invites.map(({ request }) => request.uri),
      [
        'sip:+1202555-0100@voice.example.com',
        'sip:zo%C3%AB@voice.example.com',
        'sip:bob@192.0.2.1:5070;transport=tcp',
        'SIPS:carol@host',
      ],
    );
  });

  it('a call restarts ICE when its path is gone for 3 s, and not before', async (t) => {
    const { page, media, log } = await talking(t);
    media.listener.connection('disconnected');
    await page.clock.advance(2.5 * second);
    media.listener.connection('connected');
    await page.clock.advance(5 * second);
    assert.equal(page.offers.length, 0);
    media.listener.connection('disconnected');
    await page.clock.advance(3 * second + 100);
    assert.deepEqual(page.offers, ['description 2']);
    assert.equal(media.described.at(-1)!.restartsIce, true);
    media.listener.connection('connected');
    await page.clock.advance(100);
    assert.deepEqual(log, ['connected', 'reconnecting', 'connected', 'reconnected']);
  });

  it('a call whose socket is lost goes on over the next one, with a restart of ICE, and is hung up there', async (t) => {
    const { page, call, media, log } = await talking(t);
    page.cut();
    await page.clock.advance(2 * second);
    assert.deepEqual(log, ['reconnecting', 'reconnected']);
    assert.equal(media.described.at(-1)!.restartsIce, true);
    const ended: string[] = [];
    page.invites[0]!.listen({ ended: ({ by }) => void ended.push(by) });
    call.hangUp();
    await page.clock.advance(100);
    assert.deepEqual(ended, ['remote-bye']);
  });

  it('a call without a connection for 45 s ends', async (t) => {
    const { page, log } = await talking(t);
    page.isReachable = false;
    page.cut();
    await page.clock.advance(46 * second);
    assert.deepEqual(log, ['reconnecting', 'ended connection-lost']);
  });

  it('a change of the network that silences the socket replaces it after 2 s, and the call restarts ICE', async (t) => {
    const { page, phone, media, log } = await talking(t);
    const before = page.openedAt.length;
    page.changeNetwork();
    await page.clock.advance(3 * second);
    assert.equal(page.openedAt.length, before + 1);
    assert.equal(phone.state, 'registered');
    assert.equal(media.described.at(-1)!.restartsIce, true);
    assert.ok(log.includes('reconnected'), log.join());
  });

  it('a test call of ten seconds reports the quality to the echo phone', async () => {
    const page = createSimulatedPage();
    const report = Phone.preflight({ url, ...byPassword }, page.environment);
    for (let s = 0; s < 12; s++) await page.clock.advance(second);
    const { lossPercent, mos, codec, transport, warnings } = await report;
    assert.deepEqual([lossPercent, codec, transport, warnings.length], [0, 'opus', 'udp', 0]);
    assert.ok((mos ?? 0) > 4);
    assert.match(page.invites[0]!.request.uri, /\+12025550100/);
    await page.clock.advance(70 * second);
    page.close();
    assert.equal(page.clock.pending, 0, 'no timer is left');
  });
});
