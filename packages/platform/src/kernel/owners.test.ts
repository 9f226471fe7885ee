import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwners } from './owners.ts';

test('a notice reaches the listener of its kind alone, with the name of the owner', () => {
  const owners = createOwners<string>();
  const notices: string[] = [];
  owners.ownedBy('document', (owner, notice) => notices.push(`document ${owner} ${notice}`));
  owners.ownedBy('api', (owner, notice) => notices.push(`api ${owner} ${notice}`));
  owners.notify({ kind: 'document', id: 'run-1' }, 'ended');
  owners.notify({ kind: 'unregistered', id: 'x' }, 'ended');
  assert.deepEqual(notices, ['document run-1 ended']);
  assert.deepEqual([owners.has('api'), owners.has('unregistered')], [true, false]);
});

test('a kind is registered once', () => {
  const owners = createOwners<string>();
  owners.ownedBy('document', () => {});
  assert.throws(() => owners.ownedBy('document', () => {}), /kind 'document' has an owner already/);
});
