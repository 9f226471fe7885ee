import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createWorld, type Phone, type World } from '@jackfield/testing';
import { type Model, receptionist } from './receptionist.ts';

/** The model of the test follows a script; a test of the words of a real model would depend on its mood. */
const script: Model = async (said) => {
  const last = said.at(-1) ?? '';
  if (/book/i.test(last)) return { words: 'For how many people?', isOver: false };
  const people = /\d+/.exec(last)?.[0];
  if (people !== undefined) return { words: `A table for ${people} is yours. Good bye.`, isOver: true };
  return { words: 'Please say that again.', isOver: false };
};

let world: World;
let caller: Phone;

beforeEach(async () => {
  world = await createWorld({ program: receptionist(script, (path) => world.url(path)) });
  caller = world.phone('+14155550100');
});
afterEach(() => world.close());

test('A caller books a table in two sentences', async () => {
  await caller.dial('/answer');
  await caller.hears('what can I do for you');
  await caller.says('I want to book a table.');
  await caller.hears('for how many people');
  await caller.says('4 people');
  await caller.hears('a table for 4 is yours');
  assert.equal((await caller.ended()).by, 'remote-bye');
});

test('A caller who interrupts is heard', async () => {
  await caller.dial('/answer');
  await caller.hears('hello');
  await caller.says('Book a table');
  await caller.hears('for how many people');
});

test('Words that the agent does not understand are asked for again', async () => {
  await caller.dial('/answer');
  await caller.hears('what can I do for you');
  await caller.says('Mumble');
  await caller.hears('say that again');
});

test('A silent caller hears why the call ends', async () => {
  await caller.dial('/answer');
  await caller.hears('I heard nothing', { within: '1 min' });
  await caller.ended();
});
