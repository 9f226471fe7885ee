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
  const room = 'MultiPartyCall/name_room/Participant/';

  /** Adds the only participant of a multiparty call, hangs it up after a second, and gives the bills of its records. */
  async function billsOf(added: object, pickUp?: (leg: string) => void) {
    const { status, body } = await simulated.api('POST', room, { role: 'customer', ...added });
    assert.equal(status, 201, JSON.stringify(body));
    const [{ call_uuid: leg }] = body.calls;
    await simulated.advance(0);
    pickUp?.(leg);
    await simulated.advance(1_000);
    const { member_id } = (await simulated.api('GET', room)).body.objects[0];
    telephony.leave(leg);
    await simulated.advance(0);
    const { total_rate, total_amount } = (await simulated.api('GET', `Call/${leg}/`)).body;
    const [{ mpc_uuid }] = (await simulated.api('GET', 'MultiPartyCall/')).body.objects;
    const participant = await simulated.api(
      'GET',
      `MultiPartyCall/uuid_${mpc_uuid}/Participant/${member_id}/`,
    );
    return { total_rate, total_amount, billed_amount: participant.body.billed_amount };
  }

  return {
    /** Of an incoming call that is moved into a multiparty call. */
    async incoming(caller: {
      readonly carrier?: string;
      readonly endpoint?: string;
      readonly trunk?: string;
    }) {
      const leg = telephony.callIn({ account: main.authId, from: '+12025550100', to: number, ...caller });
      await simulated.advance(0);
      return billsOf({ call_uuid: leg });
    },
    /** Of a phone that is dialled for a multiparty call. */
    async dialled(to: string) {
      return billsOf({ from: '+12025550100', to }, telephony.pickUp);
    },
  };
}

const all = (amount: string) => ({ total_rate: amount, total_amount: amount, billed_amount: amount });

eachDatabase('the bill of an incoming call', (open) => {
  it('is by the rate of the called number where a carrier delivers it, also for its time in a multiparty call', async () => {
    const { incoming } = await world(open);
    assert.deepEqual(await incoming({ carrier: 'alpha' }), all('0.50000'));
  });

  for (const [what, caller] of [
    ['an endpoint', { endpoint: 'e1' }],
    ['the telephone system of a trunk', { trunk: '12345678901234' }],
  ] as const) {
    it(`is by the rate of sip for ${what}, whatever it calls`, async () => {
      const { incoming } = await world(open);
      assert.deepEqual(await incoming(caller), all('0.00300'));
    });
  }
});

eachDatabase('the bill of a participant that is dialled', (open) => {
  for (const to of ['+33123456789', 'sip:+33123456789@sip.example.com']) {
    it(`is by the rate of the number in its call and in the multiparty call: ${to}`, async () => {
      const { dialled } = await world(open);
      assert.deepEqual(await dialled(to), all('0.02000'));
    });
  }
});
