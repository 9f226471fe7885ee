export {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxCallsFeature,
  type SandboxNetwork,
  sandboxCallMigrations,
} from './sandbox-calls.ts';
