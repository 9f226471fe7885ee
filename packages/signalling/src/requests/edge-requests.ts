import type { Logger, Registrations } from '@jackfield/ports';
import type { IncomingRequest } from '@jackfield/sip';
import type { createRegistrar } from '../registrar/registrar.ts';
import { faultAnswer } from './fault-answer.ts';
import { answerMessage } from './message-answer.ts';
import { createOptionsAnswerer, type OptionsAnswererDeps } from './options-answer.ts';

export interface EdgeRequestsDeps extends OptionsAnswererDeps {
  /** Absent where no phone registers: REGISTER is then answered with 405. */
  readonly registrar?: ReturnType<typeof createRegistrar>;
  readonly registrations?: Registrations;
  readonly log: Logger;
  /** Whether the flow of a connection still exists. */
  readonly isOpenFlow: (flow: string) => boolean;
}

/** Answers requests outside of calls: REGISTER, MESSAGE, and OPTIONS. */
export function createEdgeRequests(deps: EdgeRequestsDeps): (incoming: IncomingRequest) => void {
  const { registrar, registrations, log } = deps;
  const optionsAnswerer = createOptionsAnswerer(deps);

  async function answerRegister(incoming: IncomingRequest): Promise<void> {
    const { request, flow, reply } = incoming;
    try {
      const answer = await registrar?.register(request, flow);
      // A connection that was lost during the write removed only the bindings written before.
      if (flow.reliable && !deps.isOpenFlow(flow.id)) await registrations?.dropFlow(flow.id);
      if (answer?.status === 200) incoming.trust();
      reply(answer?.status ?? 405, { headers: answer?.headers ?? [] });
    } catch (error) {
      const { status, fields } = faultAnswer(error, 'REGISTER', log);
      reply(status, fields);
    }
  }

  return (incoming) => {
    if (incoming.request.method === 'REGISTER') void answerRegister(incoming);
    else if (incoming.request.method === 'MESSAGE') answerMessage(incoming, deps.domains);
    else void optionsAnswerer.answer(incoming);
  };
}
