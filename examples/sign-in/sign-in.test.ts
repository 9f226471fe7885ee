import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createWorld, type World } from '@jackfield/testing';
import { SignIn } from './sign-in.ts';

let world: World;
let signIn: SignIn;

beforeEach(async () => {
  world = await createWorld({ program: () => '' });
  signIn = new SignIn(await world.listen(), world.account);
});
afterEach(() => world.close());

test('The code of the message signs in, once', async () => {
  const phone = world.phone('+14155550100');
  const session = await signIn.begin(phone.name);
  const { match } = await phone.receivesText(/\d{4,8}/);
  assert.equal(await signIn.finish(session, match[0]), true);
  assert.equal(await signIn.finish(session, match[0]), false);
});

test('A wrong code does not sign in', async () => {
  const phone = world.phone('+14155550100');
  const session = await signIn.begin(phone.name);
  const { match } = await phone.receivesText(/\d{4,8}/);
  const wrong = match[0].replace(/^\d/, (digit) => String((Number(digit) + 1) % 10));
  assert.equal(await signIn.finish(session, wrong), false);
  assert.equal(await signIn.finish(session, match[0]), true);
});

test('A message that is late signs in all the same', async () => {
  world.fault('sms-late', { by: '5 s' });
  const phone = world.phone('+14155550100');
  const session = await signIn.begin(phone.name);
  const { match } = await phone.receivesText(/\d{4,8}/);
  assert.equal(await signIn.finish(session, match[0]), true);
});
