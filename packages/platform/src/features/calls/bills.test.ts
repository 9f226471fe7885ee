import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase, type OpenDatabase, openSimulatedWorld } from '@jackfield/testkit';

const number = '+442079461234';
const increments = { initialSeconds: 60, incrementSeconds: 60 } as const;
const rates = {
  currency: 'USD',
  rates: [
    { prefix: '', direction: 'both', perMinute: 2_000, ...increments },
    { prefix: '44', direction: 'inbound', perMinute: 50_000, ...increments },
    { prefix: 'sip', direction: 'both', perMinute: 300, ...increments },
  ],
} as const;

async function world(open: OpenDatabase) {
  const simulated = await openSimulatedWorld({ database: open, phones: 'none', rates });
  const { main, telephony } = simulated;
  const answer_url = 'https://customer.example.com/answer';
  simulated.customer.serve(answer_url, '<Response><Wait length="60"/></Response>');
  const { app_id } = (await simulated.api('POST', 'Application/', { app_name: 'waits', answer_url })).body;
  await simulated.api('POST', 'Number/', { number, app_id });
  return {
    ...simulated,
    /** Moves an incoming call into a multiparty call, ends both, and gives the records of both. */
    async conversed(caller: {
      readonly carrier?: string;
      readonly endpoint?: string;
      readonly trunk?: string;
    }) {
      const leg = telephony.callIn({ account: main.authId, from: '+12025550100', to: number, ...caller });
      await simulated.advance(0);
      const room = 'MultiPartyCall/name_room/Participant/';
      const moved = await simulated.api('POST', room, { role: 'customer', call_uuid: leg });
      assert.equal(moved.status, 201, JSON.stringify(moved.body));
      await simulated.advance(1_000);
      const { member_id } = (await simulated.api('GET', room)).body.objects[0];
      telephony.leave(leg);
      await simulated.advance(0);
      const { total_rate, total_amount } = (await simulated.api('GET', `Call/${leg}/`)).body;
      const [ended] = (await simulated.api('GET', 'MultiPartyCall/')).body.objects;
      const participant = `MultiPartyCall/uuid_${ended.mpc_uuid}/Participant/${member_id}/`;
      const { billed_amount } = (await simulated.api('GET', participant)).body;
      return { total_rate, total_amount, billed_amount };
    },
  };
}

eachDatabase('the bill of an incoming call', (open) => {
  it('is by the rate of the called number where a carrier delivers it, also for its time in a multiparty call', async () => {
    const { conversed } = await world(open);
    const amount = '0.50000';
    assert.deepEqual(await conversed({ carrier: 'alpha' }), {
      total_rate: amount,
      total_amount: amount,
      billed_amount: amount,
    });
  });

  for (const [what, caller] of [
    ['an endpoint', { endpoint: 'e1' }],
    ['the telephone system of a trunk', { trunk: '12345678901234' }],
  ] as const) {
    it(`is by the rate of sip for ${what}, whatever it calls`, async () => {
      const { conversed } = await world(open);
      const amount = '0.00300';
      assert.deepEqual(await conversed(caller), {
        total_rate: amount,
        total_amount: amount,
        billed_amount: amount,
      });
    });
  }
});
