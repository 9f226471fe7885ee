import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { createWorld, type Phone, type World } from './index.ts';

/** What JavaScript passes, past the types. */
// biome-ignore lint/suspicious/noExplicitAny: the values are wrong
type Wrong = any;

const spoken = '<Response><Speak>Hello there.</Speak><Wait length="100"/></Response>';
const bad = (code: string, message: RegExp) => ({ name: 'TestingError', code, message });

describe('what a test passes', () => {
  let world: World;
  let phone: Phone;

  before(async () => {
    world = await createWorld({ program: () => spoken });
    phone = world.phone('+14155550100');
    await phone.dial('/answer');
  });
  after(() => world.close());

  it('as an expectation is a text, a pattern or keys, and not empty', async () => {
    const refused = (shown: string) =>
      bad('bad-option', new RegExp(`^The expected text is ${shown}: use words`));
    for (const [what, shown] of [
      ['', '""'],
      [' ', '" "'],
      [undefined, 'undefined'],
      [/(?:)/, '/\\(\\?:\\)/'],
      [5, '5'],
    ] as const) {
      await assert.rejects(phone.hears(what as Wrong), refused(shown));
      await assert.rejects(phone.receivesText(what as Wrong), refused(shown));
    }
    for (const keys of ['', undefined, 'x'])
      await assert.rejects(phone.hearsKeys(keys as Wrong), bad('bad-option', /^keys is .*: use 0 to 9/));
    for (const text of ['', undefined])
      await assert.rejects(phone.says(text as Wrong), bad('bad-option', /^text is .*: use words/));
    await phone.hears('hello there');
  });

  it('as options has known names alone', async () => {
    const misspelt = { withn: '1 s' } as Wrong;
    const refused = bad('bad-option', /^There is no option "withn" of a wait: use within\.$/);
    for (const wait of [
      () => phone.hears('x', misspelt),
      () => phone.hearsKeys('1', misspelt),
      () => phone.dial('/answer', misspelt),
      () => phone.answered(misspelt),
      () => phone.rings(misspelt),
      () => phone.ended(misspelt),
      () => phone.receivesText('x', misspelt),
      () => world.requested('/x', misspelt),
      () => world.until('x', () => true, misspelt),
    ])
      await assert.rejects(wait, refused);
    await assert.rejects(phone.hears('x', '1 s' as Wrong), bad('bad-option', /options of a wait are "1 s"/));
    for (const [name, options] of [
      ['packet-loss', { by: '1 s' }],
      ['sms-late', { rate: 0.1 }],
      ['codec-loss', { by: '1 s' }],
    ] as const)
      assert.throws(() => world.fault(name, options), bad('bad-option', new RegExp(`of ${name}: use for`)));
    assert.throws(
      () => world.app('/a', { ended: '/b' } as Wrong),
      bad('bad-option', /"ended" of an application/),
    );
  });

  it('as a duration is a month at most', async () => {
    for (const duration of ['99999999999999 min', '745 h', 1e15] as const) {
      await assert.rejects(async () => world.wait(duration), bad('bad-duration', /from 0 to 744 h/));
      await assert.rejects(phone.hears('x', { within: duration }), bad('bad-duration', /^within is /));
    }
  });

  it('to createWorld has known names, a program that can be requested, and a whole seed', async () => {
    for (const [options, message] of [
      [{ programm: () => spoken }, /^There is no option "programm" of a world: use program, seed, server\.$/],
      [{ program: 'localhost:3000' }, /^program is "localhost:3000": use the URL/],
      [{ program: 'ftp://127.0.0.1' }, /^program is "ftp:\/\/127\.0\.0\.1": use the URL/],
      [{ program: 3000 }, /^program is 3000: use the URL/],
      [{ seed: 'x' }, /^seed is "x": use a whole number/],
      [{ seed: Number.NaN }, /^seed is null: use a whole number/],
    ] as const)
      await assert.rejects(createWorld(options as Wrong), bad('bad-option', message));
  });
});

it('a world that is closed refuses everything that needs it', async () => {
  const world = await createWorld({ program: () => spoken });
  const phone = world.phone('+14155550100');
  await phone.dial('/answer');
  await world.close();
  const refused = bad('world-closed', /^The world is closed: create another one\.$/);
  for (const use of [
    () => phone.dial('/answer'),
    () => phone.hears('hello'),
    () => phone.receivesText('hello'),
    () => phone.ready(),
    async () => world.phone('+14155550101'),
    async () => world.endpoint('alice'),
    async () => world.app('/answer'),
    async () => world.api('GET', 'Call/'),
    async () => world.listen(),
    async () => world.wait('1 s'),
    async () => world.requested('/answer'),
    async () => world.fault('codec-loss'),
  ])
    await assert.rejects(use, refused);
});

it('a world that listens and is never closed lets its process end', () => {
  const program = `import { createWorld } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
    const world = await createWorld({ program: () => ${JSON.stringify(spoken)} });
    const { status } = await fetch(await world.listen());
    console.log(status);`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(status, 0);
  assert.match(stdout, /^\d{3}\n$/);
});
