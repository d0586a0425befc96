import type { VaultWays } from '../../worker/crypto.ts'

/** What opens this browser, in words: "your password or passkey". */
export function wayWords({ passkeyIds, passwordSalt }: VaultWays): string {
  if (passkeyIds.length === 0) return 'your password'
  return passwordSalt === null ? 'your passkey' : 'your password or passkey'
}
