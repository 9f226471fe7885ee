import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createWorld, type Phone, skippedOnServer, type World } from '@jackfield/testing';
import { contactCentre } from './contact-centre.ts';

let world: World;
let agent: Phone;
let caller: Phone;

beforeEach(async () => {
  const program = contactCentre(
    () => agent.to,
    (path) => world.url(path),
  );
  world = await createWorld({ program });
  agent = await world.endpoint('agent').ready();
  caller = world.phone('+14155550100');
});
afterEach(() => world.close());

test('A caller chooses sales and talks with an agent', async () => {
  await caller.dial('/answer');
  await caller.hears('press one for sales');
  await caller.press('1');
  await agent.answered();
  await caller.says('I want to buy a telephone.');
  await agent.hears('buy a telephone');
  await agent.hangUp();
  await caller.hears('good bye');
  assert.equal((await caller.ended()).by, 'remote-bye');
});

test('A wrong key is explained, and silence ends the call', async () => {
  await caller.dial('/answer');
  await caller.hears('press one for sales');
  await caller.press('7');
  await caller.hears('that is not a choice');
  await caller.hears('good bye');
  await caller.ended();
});

const tenMinutes = { skip: skippedOnServer('it takes ten minutes there') };
test('A caller waits ten minutes until the agent is free', tenMinutes, async () => {
  agent.behaves('busy');
  await caller.dial('/answer');
  await caller.hears('press one for sales');
  await caller.press('2');
  for (let minute = 0; minute < 10; minute++) await caller.hears('please hold', { within: '2 min' });
  agent.behaves('answers');
  await agent.answered({ within: '2 min' });
  await agent.says('Thank you for waiting.');
  await caller.hears('thank you for waiting');
});
