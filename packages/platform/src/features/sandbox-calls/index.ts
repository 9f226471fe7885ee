export {
  createSandboxCalls,
  type SandboxCallsDeps,
  type SandboxNetwork,
  sandboxCallsMigrations,
} from './sandbox-calls.ts';
