import { notFound, type Problem, problem } from '../../kernel/problem.ts';
import type { CallReference } from './domain/call-reference.ts';
import type { Refusal } from './domain/multiparty-call.ts';

/** The answer to a request that the machine refuses. */
export function problemOfRefusal(mpcUuid: string, refusal: Refusal): Problem {
  switch (refusal.because) {
    case 'ended':
      return hasEnded(mpcUuid);
    case 'full':
      return problem(
        'limit-reached',
        `the multiparty call is full: max_participants is ${refusal.maxParticipants}, participants still being dialled included`,
      );
    case 'already-in':
      return problem(
        'conflict',
        `the call is in this multiparty call already, as participant ${refusal.memberId}`,
      );
    case 'gone':
      return problem('not-found', 'the participant was removed while it was being added');
    case 'none-waits':
      return notFound('phone that waits for request', refusal.requestUuid);
    case 'not-initialized':
      return problem(
        'not-found',
        'the multiparty call is active already: only a call in status Initialized can be activated',
      );
    case 'no-such-member':
      return noSuchMember(String(refusal.memberId));
    case 'not-present':
      return problem('conflict', `participant ${refusal.memberId} has not joined yet, so it hears nothing`);
    case 'none-present':
      return problem('conflict', 'no participant is in the conversation to hear it');
    case 'too-many-plays':
      return problem(
        'limit-reached',
        `at most ${refusal.maxPlays} sounds are heard at the same time in a multiparty call: stop one first`,
      );
    case 'not-a-supervisor':
      return {
        ...problem(
          'invalid-parameter',
          `coach_mode can be changed for supervisors only, and participant ${refusal.memberId} is not a supervisor`,
        ),
        parameter: 'coach_mode',
      };
  }
}

export function roomElsewhere(name: string): Problem {
  return problem(
    'conflict',
    `multiparty call "${name}" lives at another node, which the request reaches when it is repeated`,
  );
}

/** A call by name is found only while it is live. */
export function noSuchCall(reference: CallReference): Problem {
  return reference.name === undefined
    ? notFound('multiparty call', reference.text)
    : notFound('ongoing multiparty call', reference.name);
}

export function noSuchMember(memberId: string): Problem {
  return notFound('participant in this multiparty call with member_id', memberId);
}

export function hasEnded(mpcUuid: string): Problem {
  return problem('not-found', `multiparty call ${mpcUuid} has ended`);
}
