import { RELEASE_ADDRESS } from '../../../contract/site/addresses.ts'
import { askStanding, type Fault, type Offered } from '../../net/offered.ts'
import { registerWorker } from '../../net/workers.ts'
import { showToast } from '../../ui/toast.ts'

/** The part of the settings about the code of this page. */
export const CODE_PART = '/settings?tab=about#code'

type Refused = Fault | 'broken'

/** What the person is told where this browser did not start what the server hands out. */
const WORDS: Record<Refused, { title: string; text: string }> = {
  unsigned: {
    title: 'The server’s new version is not signed',
    text: 'Its operator has signed the versions before. This browser did not take it, and goes on with the last signed one.',
  },
  other_key: {
    title: 'The server’s new version is signed by another key',
    text: 'Somebody may have taken the server over. This browser did not take it, and goes on with the last version that it trusts.',
  },
  older: {
    title: 'The server has an older version',
    text: 'An older version may have a weakness that was mended since. This browser does not go back to it.',
  },
  far: {
    title: 'The server’s version is far ahead',
    text: 'It counts itself more than one great step above what this browser has run, and no known key has signed it. This browser did not take it by itself.',
  },
  undone: {
    title: 'You went back from the server’s version',
    text: 'This browser runs the copy of before, as you have chosen.',
  },
  broken: {
    title: 'A file of the server’s new version is not the one that was named',
    text: 'This browser took nothing of it. A server that is just being updated looks like this for a minute.',
  },
}

/** The words for what was refused; undefined if nothing was. */
export const refusedWords = (offered: Offered | undefined): { title: string; text: string } | undefined =>
  offered && Object.hasOwn(WORDS, offered.outcome) ? WORDS[offered.outcome as Refused] : undefined

/** Has this browser check the code of each start, where the operator of the server signs it, and tells once what was refused. */
export async function watchCode(): Promise<void> {
  const { serviceWorker } = globalThis.navigator ?? {}
  if (!serviceWorker) return
  if (!(await serviceWorker.getRegistration())) {
    // The next start asks again if the server is out of reach.
    const signed = await fetch(RELEASE_ADDRESS, { cache: 'no-store' }).catch(() => undefined)
    if (signed?.ok) await registerWorker()
    return
  }
  const offered = await askStanding()
  const words = refusedWords(offered)
  if (words) showToast({ tone: 'bad', ...words, mustBeSeen: true })
}
