import type { Database } from '@jackfield/ports';
import type { AccountResources } from '../../feature.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import type { MultipartyCall, MultipartyCallInput } from './domain/multiparty-call.ts';
import { reading, writing } from './tables.ts';

/** Only records of ended calls are removed or passed on. A live call keeps its record until its end, and the main account sees it. */
export function createAccountResources(
  { read }: Pick<Database, 'read'>,
  sessions: Sessions<MultipartyCall, MultipartyCallInput>,
): AccountResources {
  return {
    async endLive(account) {
      const live = await reading(read)
        .selectFrom('multiparty_calls')
        .select('mpc_uuid')
        .where('account', '=', account)
        .where('ended_at', 'is', null)
        .execute();
      for (const { mpc_uuid } of live) {
        if (sessions.peek(mpc_uuid) !== undefined) sessions.send(mpc_uuid, { type: 'end' });
      }
    },

    async remove(write, account) {
      const tables = writing(write);
      const ended = () =>
        tables
          .selectFrom('multiparty_calls')
          .select('mpc_uuid')
          .where('account', '=', account)
          .where('ended_at', 'is not', null);
      await tables.deleteFrom('multiparty_hearing').where('mpc_uuid', 'in', ended()).execute();
      await tables.deleteFrom('multiparty_participants').where('mpc_uuid', 'in', ended()).execute();
      await tables
        .deleteFrom('multiparty_calls')
        .where('account', '=', account)
        .where('ended_at', 'is not', null)
        .execute();
    },

    async passOn(write, account, main) {
      await writing(write)
        .updateTable('multiparty_calls')
        .set({ account: main })
        .where('account', '=', account)
        // A live call keeps its account: its name may be that of a live call of the main account.
        .where('ended_at', 'is not', null)
        .execute();
    },
  };
}
