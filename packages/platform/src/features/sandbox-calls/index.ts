export {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxCallsFeature,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './sandbox-calls.ts';
