import type { Clock, Logger, Secrets, SignallingDoors } from '@jackfield/ports';
import {
  type Admission,
  type CarrierAdmission,
  type CarrierAdmissionDeps,
  createAccountAdmission,
  createCarrierAdmission,
  createDigestAdmission,
  createExternalAdmission,
  createSandboxAdmission,
  createTokenAdmission,
  createTrunkAdmission,
  type TrunkAdmissionDeps,
} from '@jackfield/signalling';
import type { Config } from './config.ts';
import { admitsExternal } from './public-sip.ts';

export interface AdmissionDeps extends Pick<TrunkAdmissionDeps, 'nonces'> {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly doors: SignallingDoors;
  readonly domains: readonly [string, ...string[]];
  /** `domains`, and the domains of applications below them. */
  readonly served: readonly [string, ...string[]];
  readonly carriers: CarrierAdmissionDeps['carriers'];
  /** A request with valid credentials was refused, because its account is disabled or deleted. */
  readonly refusedInactive: () => void;
}

export interface ServerAdmission {
  readonly admission: Admission;
  /** The part that recognises carriers; its owner closes it. */
  readonly carried: CarrierAdmission;
}

/**
 * Decides which senders may register and call. Order: sandbox phone, carrier, access token, trunk, external caller, endpoint. A sender
 * whose account is not active is refused.
 */
export function createAdmission(deps: AdmissionDeps): ServerAdmission {
  const { config, doors, domains } = deps;
  const { accounts, clientTokens, registrations, trunks } = doors;
  const digest = { ...deps, registrations, algorithms: config.sip.digest };
  const endpoints = createDigestAdmission({ ...digest, realm: domains[0] });
  const open = admitsExternal(config)
    ? createExternalAdmission({
        ...deps,
        registrations,
        isActive: accounts.isActive,
        publicApplication: doors.publicApplications.account,
        domains: deps.served,
        trusted: config.limits?.trustedSources ?? [],
        limits: config.limits?.external ?? {},
        otherwise: endpoints,
      })
    : endpoints;
  const password = createTrunkAdmission({ ...digest, trunks, otherwise: open });
  const tokens = createTokenAdmission({ tokens: clientTokens, otherwise: password });
  const account = (number: string) => doors.carrierCalls.account(number);
  const carried = createCarrierAdmission({ ...deps, account, otherwise: tokens });
  const admission = createAccountAdmission({
    isActive: accounts.isActive,
    refused: deps.refusedInactive,
    otherwise: config.sandbox
      ? createSandboxAdmission({ expected: doors.sandboxCall, otherwise: carried })
      : carried,
  });
  return { admission, carried };
}
