/** Parameters of password derivation [Note: P1]. They are constants of the code, so a server cannot lower them. */
export const PASSWORD_KDF = {
  version: 1,
  memoryKiB: 64 * 1024,
  passes: 3,
  lanes: 1,
  bytes: 32,
  saltLabel: 'conclave/salt/v1',
  authLabel: 'conclave/auth/v1',
  seedLabel: 'conclave/password-seed/v1',
} as const
