import { loadPart } from './primitives/loadPart.ts'

// Parts of the worker that are loaded when one of their verbs is first called.
export const callFrames = () => loadPart(() => import('./calls/callFrames.ts'))
export const calls = () => loadPart(() => import('./calls/callKeys.ts'))
export const chatLock = () => loadPart(() => import('./chatlocks/chatlock.ts'))
export const changeSeed = () => loadPart(() => import('./chatlocks/changeSeed.ts'))
export const resealRows = () => loadPart(() => import('./chatlocks/resealRows.ts'))
export const chatPages = () => loadPart(() => import('./chatlocks/chatpages.ts'))
export const chatRows = () => loadPart(() => import('./chatlocks/chatrows.ts'))
export const answer = () => loadPart(() => import('./group/answerForks.ts'))
export const audit = () => loadPart(() => import('./log/auditCommits.ts'))
export const codes = () => loadPart(() => import('./lists/contactCode.ts'))
export const contacts = () => loadPart(() => import('./log/clearRoom.ts'))
export const files = () => loadPart(() => import('./files/sealFile.ts'))
export const hiding = () => loadPart(() => import('./lists/hideAddress.ts'))
export const offline = () => loadPart(() => import('./account/openOffline.ts'))
export const older = () => loadPart(() => import('./log/olderPage.ts'))
export const relock = () => loadPart(() => import('./vault/rewrap.ts'))
export const renaming = () => loadPart(() => import('./lists/renaming.ts'))
export const restart = () => loadPart(() => import('./log/restartRoom.ts'))
export const safety = () => loadPart(() => import('./lists/safety.ts'))
export const slowArgon = () => loadPart(() => import('./keys/slowArgon.ts'))
export const spoiled = () => loadPart(() => import('./account/spoiledBook.ts'))
export const finishing = () => loadPart(() => import('./transfers/finishing.ts'))
export const offering = () => loadPart(() => import('./transfers/offering.ts'))
export const receiving = () => loadPart(() => import('./transfers/receiving.ts'))
export const transfers = () => loadPart(() => import('./transfers/transfers.ts'))
export const trust = () => loadPart(() => import('./account/trustKey.ts'))
export const unlocking = () => loadPart(() => import('./account/unlock.ts'))
export const wiped = () => loadPart(() => import('./vault/wipedVault.ts'))
export const search = () => loadPart(() => import('./searchindex/search.ts'))

let opener: Promise<typeof import('./files/openFile.ts')> | undefined
/** One promise for all: the pieces of a file never overtake its opening, which would wait for them for ever. */
export const opening = () => {
  opener ??= loadPart(() => import('./files/openFile.ts')).catch((error: unknown) => {
    opener = undefined
    throw error
  })
  return opener
}
