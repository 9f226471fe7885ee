import type { Clock } from '@jackfield/ports';
import type { TextMessage } from './api.ts';
import type { Faults } from './faults.ts';
import type { ServerApi } from './server-api.ts';

interface Listed {
  readonly from: string | null;
  readonly to: string;
  readonly text: string;
  readonly created_at: string;
}

/** The inbox of the server's sandbox, as this world sees it: its faults delay and lose messages of this world alone. */
export async function messagesOfServer(
  api: ServerApi,
  to: string,
  { clock, faults }: { readonly clock: Pick<Clock, 'now' | 'wallNow'>; readonly faults: Faults },
): Promise<readonly TextMessage[]> {
  const { objects } = await api.done('GET', `Sandbox/Message/?to=${encodeURIComponent(to)}&limit=20`);
  const now = clock.now();
  return (objects as readonly Listed[])
    .map(({ created_at, ...message }) => ({
      message,
      at: Date.parse(created_at) - clock.wallNow() + now,
    }))
    .filter(({ at }) => faults.at('sms-lost', at) === undefined)
    .map(({ message, at }) => ({ message, at: at + (faults.at('sms-late', at)?.byMs ?? 0) }))
    .filter(({ at }) => at <= now)
    .sort((one, other) => one.at - other.at)
    .map(({ message: { from, to: receiver, text } }) => ({ from, to: receiver, text }));
}
