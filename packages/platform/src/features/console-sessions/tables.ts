import type { ConsoleRole } from '@jackfield/contract/console';
import type { Read } from '@jackfield/ports';
import type { Kysely } from 'kysely';

export interface ConsoleSessionRow {
  readonly session_hash: string;
  /** Names the session to people; it opens nothing. */
  readonly session_id: string;
  readonly account: string;
  readonly token_mark: string;
  readonly role: ConsoleRole;
  readonly name: string | null;
  readonly user_agent: string;
  readonly source_address: string;
  readonly created_at: number;
  readonly used_at: number;
  readonly expires_at: number;
}

export interface ConsoleLinkRow {
  readonly link_hash: string;
  readonly account: string;
  readonly role: ConsoleRole;
  readonly expires_at: number;
}

// A type, not an interface: withTables asks for a record.
type Tables = { console_sessions: ConsoleSessionRow; console_links: ConsoleLinkRow };

/** For a transaction as well: a Write is a Read. */
export const tablesOf = (read: Read): Kysely<Tables> => read.withTables<Tables>();
