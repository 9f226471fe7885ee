import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hearer, hears, whoHearsWhom } from './hearing.ts';
import type { Role } from './participant.ts';

const roles: readonly Role[] = ['agent', 'supervisor', 'customer'];
const both = [false, true];

/** Every kind of participant: 3 roles × coach × mute × hold. */
const everyKind = roles.flatMap((role) =>
  both.flatMap((coachMode) =>
    both.flatMap((mute) =>
      both.map(
        (hold): Hearer => ({ leg: '', role, coachMode: coachMode && role === 'supervisor', mute, hold }),
      ),
    ),
  ),
);

function hearer(leg: string, role: Role, switches: Partial<Hearer> = {}): Hearer {
  return { leg, role, coachMode: false, mute: false, hold: false, ...switches };
}

function table(members: readonly Hearer[], isActive = true): Record<string, string> {
  return Object.fromEntries(
    whoHearsWhom(members, isActive).map(({ leg, hears: heard }) => [leg, heard.join(' ')]),
  );
}

describe('who hears whom', () => {
  it('each participant hears all others, and not itself', () => {
    const room = [hearer('a', 'agent'), hearer('c', 'customer'), hearer('s', 'supervisor')];
    assert.deepEqual(table(room), { a: 'c s', c: 'a s', s: 'a c' });
  });

  it('only agents hear a supervisor in coach mode, who hears all', () => {
    const room = [
      hearer('a', 'agent'),
      hearer('c', 'customer'),
      hearer('s', 'supervisor', { coachMode: true }),
      hearer('t', 'supervisor'),
    ];
    assert.deepEqual(table(room), { a: 'c s t', c: 'a t', s: 'a c t', t: 'a c' });
  });

  it('no participant hears a muted participant, who hears all', () => {
    const room = [hearer('a', 'agent', { mute: true }), hearer('c', 'customer'), hearer('d', 'customer')];
    assert.deepEqual(table(room), { a: 'c d', c: 'd', d: 'c' });
  });

  it('a participant on hold neither hears nor is heard', () => {
    const room = [hearer('a', 'agent', { hold: true }), hearer('c', 'customer'), hearer('d', 'customer')];
    assert.deepEqual(table(room), { a: '', c: 'd', d: 'c' });
  });

  it('before the call is active all are in the mix and the table is empty', () => {
    const room = [hearer('a', 'agent'), hearer('c', 'customer')];
    assert.deepEqual(table(room, false), { a: '', c: '' });
  });

  it('of every two kinds, a listener hears a speaker exactly when no rule forbids it', () => {
    for (const listener of everyKind.map((kind) => ({ ...kind, leg: 'listener' }))) {
      for (const speaker of everyKind.map((kind) => ({ ...kind, leg: 'speaker' }))) {
        const forbidden = [
          listener.hold,
          speaker.hold,
          speaker.mute,
          speaker.role === 'supervisor' && speaker.coachMode && listener.role !== 'agent',
        ];
        assert.equal(
          hears(listener, speaker),
          !forbidden.includes(true),
          JSON.stringify({ listener, speaker }),
        );
      }
    }
  });
});
