import type { Offer } from '../net/offer.ts'
import { plainPage } from './nothing.ts'

/** The server never sees the posted key. */
export const ACCEPT_ADDRESS = '/accept-key'

const KEPT = 'Your keys and messages are still here, sealed.'
const ASK = 'Ask the operator of this server in another way what has happened: on the phone, or face to face.'

export type Stop = 'unsigned' | 'other_key' | 'older' | 'broken'

const WORDS: Record<Stop, [title: string, text: string]> = {
  unsigned: [
    'This version is not signed',
    'The operator of this server signs Conclave, and this browser has seen the key. What the server hands out now carries no signature, so it was not started.',
  ],
  other_key: [
    'This version is signed by another key',
    'This browser knows the key with which the operator of this server signs Conclave. What the server hands out now is signed by another one, so it was not started.',
  ],
  older: [
    'This version is older',
    'What the server hands out now is older than what this browser has run before. An older version may have a weakness that was mended since, so it was not started.',
  ],
  broken: [
    'A file is not the one that was signed',
    'A file of what the server hands out now is another one than its build names, so nothing of it was started. A server that is just being updated looks like this for a minute.',
  ],
}

export const stopped = (why: Stop, { signedBy }: Pick<Offer, 'signedBy'>): Response => {
  const [title, text] = WORDS[why]
  const form =
    why === 'other_key' && signedBy !== null
      ? `<p>Whoever has taken the server over would sign with a key of their own. Accept it only if the operator has told you that it is theirs:</p><p><code>${signedBy}</code></p><form method="post" action="${ACCEPT_ADDRESS}"><input type="hidden" name="key" value="${signedBy}"><button>Accept this key</button></form>`
      : ''
  return plainPage(title, `<p>${text} ${KEPT}</p><p>${ASK}</p>${form}<p><a href="">Try again</a></p>`)
}

/** Another site has another referrer. */
export function isAcceptance(
  { method, mode, url, referrer }: Pick<Request, 'method' | 'mode' | 'url' | 'referrer'>,
  origin: string,
) {
  const isOurs = URL.canParse(referrer) && new URL(referrer).origin === origin
  const asked = new URL(url)
  return method === 'POST' && mode === 'navigate' && asked.origin === origin && asked.pathname === ACCEPT_ADDRESS && isOurs
}
