import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOfTransfer, type Departure, partyOf, readTransfer, type TransferLeg } from './transfer.ts';

const domains = ['sip.example.com'];

function leg(name: string, fields: Partial<TransferLeg> = {}): TransferLeg {
  return {
    leg: name,
    account: 'MA1',
    direction: 'inbound',
    owner: { kind: 'direct-call', id: name },
    from: 'alice',
    to: 'bob',
    phase: 'answered',
    ...fields,
  };
}

/** Two calls of alice: she called bob (a1, b), and carol called her (c, a2). */
function world(departures: Readonly<Record<string, Departure>> = { a1: 'replaceable', a2: 'replaceable' }) {
  const legs: Record<string, TransferLeg> = {
    a1: leg('a1'),
    b: leg('b', { direction: 'outbound' }),
    c: leg('c', { from: 'carol', to: 'alice' }),
    a2: leg('a2', { direction: 'outbound', from: 'carol', to: 'sip:alice@sip.example.com' }),
  };
  const partners: Record<string, string> = { a1: 'b', b: 'a1', c: 'a2', a2: 'c' };
  return {
    legs,
    partners,
    users: { a1: 'alice', c: 'carol' } as Record<string, string>,
    read(request: { leg: string; to?: string; replaces?: string }) {
      return readTransfer(
        { to: '', ...request },
        {
          peek: (name) => legs[name],
          partnerOf: (name) => partners[name],
          userOf: (name) => this.users[name],
          departureOf: ({ leg: name }) => departures[name],
          domains,
        },
      );
    },
  };
}

describe('the caller of the call of a transfer', () => {
  const number = { kind: 'number', number: '+12025550100' } as const;
  const user = { kind: 'user', user: 'dora' } as const;

  it('is the other party, but an external caller never calls a number: there it is the endpoint', () => {
    const inside = leg('c', { from: 'carol' });
    const external = leg('c', { from: 'sip:ext@elsewhere.example' });
    assert.equal(callerOfTransfer(inside, 'alice', number, domains), 'carol');
    assert.equal(callerOfTransfer(external, 'alice', user, domains), 'sip:ext@elsewhere.example');
    assert.equal(callerOfTransfer(external, 'alice', number, domains), 'alice');
  });
});

describe('a REFER without Replaces', () => {
  it('is accepted from an endpoint in a conversation, to a number or a user of the domain', () => {
    for (const to of ['+12025550100', 'dora', 'sip:dora@sip.example.com']) {
      const asked = world().read({ leg: 'a1', to });
      assert.equal(asked?.type, 'blind', to);
      assert.ok(asked.type === 'blind');
      assert.deepEqual(
        [asked.user, asked.side.other.leg, asked.side.departure],
        ['alice', 'b', 'replaceable'],
      );
    }
    assert.equal(world().read({ leg: 'a2', to: 'dora' })?.type, 'blind');
  });

  it('is refused to an unknown or foreign destination', () => {
    for (const to of ['', 'sip:x@elsewhere.example', 'not a user']) {
      assert.equal(world().read({ leg: 'a1', to }), undefined, to);
    }
  });

  it('is refused from a carrier or a telephone system, which would call at our cost', () => {
    const w = world();
    w.users = {};
    assert.equal(w.read({ leg: 'a1', to: 'dora' }), undefined);
    const number = world();
    number.legs.a2 = leg('a2', { direction: 'outbound', to: '+12025550100' });
    assert.equal(number.read({ leg: 'a2', to: 'dora' }), undefined);
  });

  it('is refused without a conversation, while the other phone rings, and in a multiparty call', () => {
    const alone = world();
    delete alone.partners.a1;
    assert.equal(alone.read({ leg: 'a1', to: 'dora' }), undefined);
    const ringing = world();
    ringing.legs.b = leg('b', { phase: 'ringing' });
    assert.equal(ringing.read({ leg: 'a1', to: 'dora' }), undefined);
    assert.equal(world({}).read({ leg: 'a1', to: 'dora' }), undefined);
    assert.equal(world().read({ leg: 'gone', to: 'dora' }), undefined);
  });
});

describe('a REFER with Replaces', () => {
  const kept = (departures: Readonly<Record<string, Departure>>) => {
    const asked = world(departures).read({ leg: 'a1', replaces: 'a2' });
    return asked?.type === 'attended' ? [asked.kept.leg.leg, asked.moved.other.leg] : asked;
  };

  it('joins the other parties in the conversation of the REFER, unless the owner of the other conversation continues with its party', () => {
    assert.deepEqual(kept({ a1: 'replaceable', a2: 'replaceable' }), ['a1', 'c']);
    assert.deepEqual(kept({ a1: 'replaceable', a2: 'bound' }), ['a2', 'b']);
    assert.deepEqual(kept({ a1: 'bound', a2: 'bound' }), ['a1', 'c']);
    assert.deepEqual(kept({ a1: 'releasable', a2: 'replaceable' }), ['a2', 'b']);
    assert.deepEqual(kept({ a1: 'releasable', a2: 'releasable' }), ['a1', 'c']);
    assert.equal(kept({ a1: 'replaceable' }), undefined);
  });

  it('is refused for the call of another phone or account, and for one conversation twice', () => {
    const stranger = world();
    stranger.legs.a2 = leg('a2', { direction: 'outbound', to: 'mallory' });
    assert.equal(stranger.read({ leg: 'a1', replaces: 'a2' }), undefined);
    const other = world();
    other.legs.a2 = leg('a2', { direction: 'outbound', to: 'alice', account: 'MA2' });
    assert.equal(other.read({ leg: 'a1', replaces: 'a2' }), undefined);
    assert.equal(world().read({ leg: 'a1', replaces: 'a1' }), undefined);
    const hairpin = world();
    hairpin.partners.a1 = 'a2';
    hairpin.partners.a2 = 'a1';
    assert.equal(hairpin.read({ leg: 'a1', replaces: 'a2' }), undefined);
  });
});

it('a party is named by its number or SIP user, whatever URI was dialled', () => {
  assert.equal(partyOf(leg('x'), domains), 'alice');
  for (const [to, party] of [
    ['sip:bob@sip.example.com', 'bob'],
    ['12025550100', '+12025550100'],
    ['sip:x@elsewhere', 'sip:x@elsewhere'],
  ] as const) {
    assert.equal(partyOf(leg('x', { direction: 'outbound', to }), domains), party);
  }
});
