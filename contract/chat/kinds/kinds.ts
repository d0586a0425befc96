import type { Act, CallContent, Content, FileContent, MessageAct, Quote } from '../content.ts'
import { SAID } from '../saidlimits.ts'
import { callKind } from './call.ts'
import { fileKind } from './file.ts'
import { onceKind } from './once.ts'
import type { ContentOf, Kind, KindRules } from './rules.ts'
import { textKind } from './text.ts'
import { timerKind } from './timer.ts'
import { transferKind } from './transfer.ts'

const KINDS: { [K in Kind]: KindRules<ContentOf<K>> } = {
  text: textKind,
  file: fileKind,
  call: callKind,
  transfer: transferKind,
  timer: timerKind,
  once: onceKind,
}

const rulesOf = (content: Content): KindRules<Content> => KINDS[content.type]

const MESSAGE_ACTS: string[] = ['edit', 'reaction', 'delete', 'opened', 'listened'] satisfies MessageAct['type'][]
const ACTS: string[] = [...MESSAGE_ACTS, ...(['mark', 'star', 'delete_chat', 'hide', 'pin'] satisfies Act['type'][])]

export const isAct = (said: Content | Act): said is Act => ACTS.includes(said.type)

export const isMessageAct = (said: Content | Act): said is MessageAct => MESSAGE_ACTS.includes(said.type)

/** Returns a list line. */
export const contentWords = (said: Content | Act): string => (isAct(said) ? '' : rulesOf(said).words(said))

/** Returns the text to search. */
export const searchedIn = (content: Content): string => rulesOf(content).searched(content)

/** Returns undefined without a file. */
export const fileIn = (said: Content | Act | null | undefined): FileContent | undefined =>
  said && !isAct(said) ? rulesOf(said).file(said) : undefined

export const quoteIn = (said: Content | Act | null | undefined): Quote | undefined =>
  said && !isAct(said) ? rulesOf(said).quote(said) : undefined

export const isForwarded = (said: Content | Act): boolean => 'isForwarded' in said && said.isForwarded === true

export const ownWords = (content: Content): string => rulesOf(content).own(content)

/** Returns undefined for words that the content cannot have. */
export const withOwnWords = (content: Content, text: string): Content | undefined => rulesOf(content).withOwn(content, text)

/** Returns one line for a quote. */
export function quotedWords(content: Content): string {
  const line = (fileIn(content)?.caption || contentWords(content)).replace(/\s+/g, ' ').trim()
  const begun = line.slice(0, SAID.quoteMax - 1)
  // A half of a surrogate pair is no letter.
  return line.length > SAID.quoteMax ? `${begun.replace(/[\uD800-\uDBFF]$/, '')}…` : line
}

export const callIn = (content: Content): CallContent | undefined => rulesOf(content).call(content)

/** False is posted as `isSilent`. */
export const isCounted = (said: Content | Act): boolean => !isAct(said) && rulesOf(said).counts

export const isTyped = (said: Content | Act): boolean => !isAct(said) && !isForwarded(said) && rulesOf(said).isTyped
