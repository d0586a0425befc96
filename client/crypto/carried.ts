import { decodeFields, fromBase64, fromUtf8 } from '../../contract/bytes.ts'
import { manifestShape } from '../../contract/devices.ts'
import type { CommitEntry } from '../../contract/rooms.ts'
import type { Signed } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { inspectCommit } from './mls.ts'

/** A device list that a commit names: its maker's claim, checked by nobody yet. */
export interface CommitNames {
  userId: string
  version: number
  /** The list itself, where the commit carries it. */
  signed: Signed
}

const versionShape = manifestShape.pick({ version: true })

/** The device lists in a commit's authenticated data [Note: D2]. Throws CryptoFailure('commit') where they cannot be taken apart. */
export function namesIn(authData: Uint8Array): CommitNames[] {
  return fieldsOf(authData).map(([userId, content, signature]) => {
    if (!userId || !content || !signature) throw new CryptoFailure('commit', 'The commit carries no manifest')
    return { userId, version: versionIn(content), signed: { content, signature } }
  })
}

/** The same of a commit in the log; nothing where it is damaged: whoever is outside the room cannot check more. */
export function namesOf({ commit }: CommitEntry): CommitNames[] {
  try {
    return namesIn(inspectCommit(fromBase64(commit)).authData)
  } catch (error) {
    if (error instanceof CryptoFailure) return []
    throw error
  }
}

/** A committer may put anything there: what cannot be taken apart is a failure, not a bug. */
function fieldsOf(authData: Uint8Array): string[][] {
  try {
    return decodeFields(authData).map((bytes) => decodeFields(bytes).map(fromUtf8))
  } catch (error) {
    throw new CryptoFailure('commit', 'The commit carries damaged manifests', { cause: error })
  }
}

function versionIn(content: string): number {
  try {
    return versionShape.parse(JSON.parse(content)).version
  } catch (error) {
    throw new CryptoFailure('commit', 'The commit carries damaged manifests', { cause: error })
  }
}
