import type { Database, Instant, Read, Write } from '@jackfield/ports';
import type { ColumnType, Selectable } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { ownerNow, viewOf } from '../accounts/index.ts';

/** Written once. */
type Fixed<Value> = ColumnType<Value, Value, never>;

interface MessagesTable {
  message_uuid: Fixed<string>;
  account: string;
  main_account: Fixed<string>;
  sender: Fixed<string>;
  recipient: Fixed<string>;
  text: Fixed<string>;
  status: 'sent' | 'delivered' | 'undelivered' | 'failed';
  created_at: Fixed<number>;
  /** When its receipt is due; null after it, and for a message without a receipt. */
  receipt_at: number | null;
  /** In which the receipt waits. */
  incarnation: number;
}
// A type, not an interface: withTables asks for a record.
type Tables = { sandbox_messages: MessagesTable };
export type MessageRow = Omit<Selectable<MessagesTable>, 'incarnation'>;

const reading = (read: Read) => read.withTables<Tables>();
const writing = (write: Write) => write.withTables<Tables>();

export type MessageStore = ReturnType<typeof createMessageStore>;

export function createMessageStore(database: Database, incarnation = 0) {
  const tables = reading(database.read);

  return {
    /** False for a message that is in the inbox already. */
    insert: (message: MessageRow, forgetBefore: Instant): Promise<boolean> =>
      database.transact(async (write) => {
        await writing(write).deleteFrom('sandbox_messages').where('created_at', '<', forgetBefore).execute();
        const inserted = await writing(write)
          .insertInto('sandbox_messages')
          .values({
            ...message,
            account: await ownerNow(write, message.account, message.main_account),
            incarnation,
          })
          .onConflict((on) => on.doNothing())
          .returning('message_uuid')
          .executeTakeFirst();
        return inserted !== undefined;
      }),

    /** Marks the receipt as sent. */
    settle: (message: string, status: MessageRow['status']): Promise<void> =>
      database.transact(async (write) => {
        await writing(write)
          .updateTable('sandbox_messages')
          .set({ status, receipt_at: null })
          .where('message_uuid', '=', message)
          .execute();
      }),

    /** Takes over the messages of an ended incarnation whose receipts are due. */
    adoptDue: (ended: number): Promise<readonly MessageRow[]> =>
      database.transact((write) =>
        writing(write)
          .updateTable('sandbox_messages')
          .set({ incarnation })
          .where('receipt_at', 'is not', null)
          .where('incarnation', '=', ended)
          .returningAll()
          .execute(),
      ),

    /** Newest first. */
    async list(
      viewer: RequestAccount,
      { to, arrivedBy }: { readonly to: string | undefined; readonly arrivedBy: Instant },
      page: Page,
    ) {
      let listed = tables
        .selectFrom('sandbox_messages')
        .where(viewOf(viewer), '=', viewer.authId)
        .where('created_at', '<=', arrivedBy);
      if (to !== undefined)
        listed = listed.where('main_account', '=', viewer.main).where('recipient', '=', to);
      const [counted, rows] = await Promise.all([
        listed.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        listed
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('message_uuid', 'desc')
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      ]);
      return { total: Number(counted.total), rows };
    },

    async remove(write: Write, account: string): Promise<void> {
      await writing(write).deleteFrom('sandbox_messages').where('account', '=', account).execute();
    },

    async passOn(write: Write, account: string, main: string): Promise<void> {
      await writing(write)
        .updateTable('sandbox_messages')
        .set({ account: main })
        .where('account', '=', account)
        .execute();
    },
  };
}
