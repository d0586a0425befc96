import { VERSION_ADDRESS } from '../../contract/site/addresses.ts'
import { pageOf } from '../../contract/site/pages.ts'
import { codeWords } from '../net/codewords.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import type { Offer } from '../net/offer.ts'
import type { Fault, Outcome } from '../net/offered.ts'
import type { Standing } from './keep.ts'
import { plainPage } from './nothing.ts'

const KEPT = 'Your keys and messages were not touched.'
const ASK = 'Ask the operator of this server in another way what has happened: on the phone, or face to face.'

export type Stop = Fault | 'broken'

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
  far: [
    'This version is far ahead',
    'What the server hands out now counts itself more than one great step above what this browser has run, and no key that this browser knows has signed it. After a long time that is right. It may also be a mistake, or a lie, so it was not started.',
  ],
  undone: ['You went back from this version', 'You have started the copy of before in place of what the server hands out now.'],
  broken: [
    'A file is not the one that was named',
    'A file of what the server hands out now is another one than its build names, so nothing of it was started. A server that is just being updated looks like this for a minute.',
  ],
}

const TAKE: Record<Fault, string> = {
  unsigned: 'Start it without a signature',
  other_key: 'Accept this key',
  older: 'Start the older version',
  far: 'Start this version',
  undone: 'Start it again',
}

const form = (act: 'take' | 'before', { id, signedBy }: Offer, label: string, isFirst = false): string =>
  `<form method="post" action="${VERSION_ADDRESS}"><input type="hidden" name="act" value="${act}"><input type="hidden" name="build" value="${id}"><input type="hidden" name="key" value="${signedBy ?? ''}"><button${isFirst ? '' : ' class="less"'}>${label}</button></form>`

const FROM_THEN: Partial<Record<Fault, string>> = {
  unsigned:
    'Whoever has taken the server over would hand out just that. Start it only if the operator has told you that they sign no more. From then on this browser takes what the server hands out, until it sees a signature again.',
  older: 'Start it only if the operator has told you that they went back to it.',
  far: 'Start it only if the operator has told you of this number.',
}

function offered(offer: Offer, faults: Fault[]): string {
  const [first] = faults
  if (!first) return ''
  const key = faults.includes('other_key') && offer.signedBy
  const asked = key
    ? `<p>Whoever has taken the server over would sign with a key of their own. Accept it only if the operator has told you that it is theirs:</p><p><b>${codeWords(key)}</b></p><p><code>${key}</code></p>`
    : ''
  const then = faults.map((fault) => FROM_THEN[fault]).filter(Boolean)
  return `${asked}${then.length > 0 ? `<p>${then.join(' ')}</p>` : ''}${form('take', offer, TAKE[first])}`
}

const ofBefore = (before: KeptBuild | undefined, running: KeptBuild | undefined): string =>
  before
    ? `<p>This browser still has a copy of version ${before.version}, which it has run before.</p>${form('before', before, 'Start the copy of before', !running)}`
    : ''

const again = (running: KeptBuild | undefined): string =>
  `<p>${running ? `<a class="try" href="/">Go on with version ${running.version}</a>` : '<a href="">Try again</a>'}</p>`

export function stopped({ running, before, offer, faults }: Standing): Response {
  const why: Stop[] = faults.length > 0 ? faults : ['broken']
  const [title] = WORDS[why[0] ?? 'broken']
  const texts = why.map((one) => `<p>${WORDS[one][1]}</p>`).join('')
  const number = offer ? `<p>The server’s version is ${offer.version}.</p>` : ''
  return plainPage(
    title,
    `${texts}<p>${KEPT} ${ASK}</p>${number}${again(running)}${ofBefore(before, running)}${offer ? offered(offer, faults) : ''}`,
  )
}

export const nothingRefused = ({ running, before }: Standing, outcome: Outcome): Response =>
  plainPage(
    'Nothing was refused',
    `<p>${HANDED_OUT[outcome] ?? 'This browser has what the server hands out.'}${running ? ` It runs version ${running.version}.` : ''}</p>${again(running)}${ofBefore(before, running)}`,
    { status: 200 },
  )

const HANDED_OUT: Partial<Record<Outcome, string>> = {
  away: 'The server cannot be reached, so this browser does not know what it hands out now.',
  full: 'This browser has no room left for a copy of what the server hands out.',
}

/** Another site has another referrer. */
export function isDecision(
  { method, mode, url, referrer }: Pick<Request, 'method' | 'mode' | 'url' | 'referrer'>,
  origin: string,
) {
  const from = URL.canParse(referrer) ? new URL(referrer) : undefined
  const asked = new URL(url)
  const isForm = method === 'POST' && mode === 'navigate' && asked.origin === origin && asked.pathname === VERSION_ADDRESS
  return isForm && from?.origin === origin && pageOf(from.pathname) !== null
}
