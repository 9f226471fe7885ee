import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { highestRoleOf } from './identity-login.ts';

const roles = { owner: ['admins'], operator: ['desk', 'night shift'], viewer: ['staff'] };

describe('The role of a person of the identity provider', () => {
  for (const [rule, groups, role] of [
    ['is the highest of those that the groups give', ['staff', 'admins', 'desk'], 'owner'],
    ['is that of the only group with a role', ['x', 'night shift'], 'operator'],
    ['does not exist without such a group', ['x', 'Admins', ''], undefined],
    ['does not exist without groups', [], undefined],
  ] as const) {
    it(rule, () => assert.equal(highestRoleOf(groups, roles), role));
  }
});
