import type { Claim } from './claim.ts'
import { FRONT_DOOR } from './frontdoor.ts'
import { HOW_IT_WORKS } from './howitworks.ts'

/** The ledger: everything that the public pages claim, in the order of /security. */
export const CLAIMS: readonly Claim[] = [...HOW_IT_WORKS, ...FRONT_DOOR]

/** The claim with this id. Throws if there is none. */
export function claim(id: string): Claim {
  const found = CLAIMS.find((one) => one.id === id)
  if (!found) throw new Error(`There is no claim ${id}`)
  return found
}
