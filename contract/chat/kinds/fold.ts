import type { Act, Content } from '../content.ts'
import { SAID } from '../saidlimits.ts'
import { fileIn, isAct, isCounted, isMessageAct, withOwnWords } from './kinds.ts'

/** What was done to one message [Note: M7]. */
export interface Acts {
  edit?: { n: number; seq: number; text: string }
  edits?: number[]
  reactions?: Record<string, { seq: number; emojis: string[] }>
  /** When each reader opened what opens once [Note: M14]. */
  opened?: Record<string, { seq: number; at: string }>
  /** When each reader listened to a voice message. */
  listened?: Record<string, { seq: number; at: string }>
}

/** `sentAt`: signed. ISO 8601. */
interface Told {
  senderId: string
  sentAt: string
  at: string
}

export interface ToldAct extends Told {
  seq: number
  act: Act
}

export interface ActTarget extends Told {
  content: Content
  acts?: Acts | undefined
}

const HOUR_MS = 60 * 60_000
export const ACT_LIMITS = {
  editMs: 24 * HOUR_MS,
  deleteMs: 48 * HOUR_MS,
  spareMs: 10 * 60_000,
} as const

/** Returns undefined if the act does not count. Any order gives the same. */
export function withAct(target: ActTarget, told: ToldAct): Acts | 'deleted' | undefined {
  const { acts = {}, content } = target
  const { act, seq, senderId } = told
  if (!isCounted(content) || !isMessageAct(act)) return undefined
  if (act.type === 'reaction') {
    const before = acts.reactions?.[senderId]
    if (before && before.seq >= seq) return undefined
    return { ...acts, reactions: { ...acts.reactions, [senderId]: { seq, emojis: [...new Set(act.emojis)] } } }
  }
  if (act.type === 'opened' || act.type === 'listened') {
    const { [act.type]: known = {} } = acts
    const isMeant = act.type === 'opened' ? content.type === 'once' : fileIn(content)?.voice !== undefined
    if (!isMeant || senderId === target.senderId || (known[senderId]?.seq ?? seq + 1) <= seq) return undefined
    return { ...acts, [act.type]: { ...known, [senderId]: { seq, at: told.at } } }
  }
  if (act.type === 'delete') return isDeletedBy(target, told) ? 'deleted' : undefined
  if (senderId !== target.senderId) return undefined
  const { n, text } = act
  if (!withOwnWords(content, text) || !isWithin(target, told, ACT_LIMITS.editMs) || acts.edits?.includes(seq)) return undefined
  const { edit = { n: 0, seq: 0 } } = acts
  const isNewer = n > edit.n || (n === edit.n && seq > edit.seq)
  const edits = [...(acts.edits ?? []), seq].sort((a, b) => a - b).slice(-SAID.textsMax)
  return { ...acts, edits, ...(isNewer && { edit: { n, seq, text } }) }
}

export const isDeletedBy = (target: Told, told: ToldAct): boolean =>
  told.act.type === 'delete' && told.senderId === target.senderId && isWithin(target, told, ACT_LIMITS.deleteMs)

function isWithin(target: Told, told: Told, limitMs: number): boolean {
  const apartMs = (name: 'sentAt' | 'at') => Date.parse(told[name]) - Date.parse(target[name])
  return apartMs('sentAt') <= limitMs && Math.abs(apartMs('at')) <= limitMs + ACT_LIMITS.spareMs
}

interface Entry {
  body?: { kind: string; content?: Content | Act }
  content?: Content | Act | null
  acts?: Acts
}

/** Leaves out acts. */
export const foldEntries = <E extends Entry>(entries: E[]): Folded<E>[] =>
  entries.filter((entry) => !isOfAct(entry)).map((entry) => edited(entry) as Folded<E>)

export type Folded<E> = E extends { content: unknown } ? E & { content: Content | null } : E

function isOfAct({ body, content = body?.content }: Entry): boolean {
  return content ? isAct(content) : body?.kind === 'act'
}

function edited<E extends Entry>(entry: E): E {
  const { body, acts } = entry
  return acts?.edit && body?.content ? { ...entry, body: { ...body, content: withText(body.content, acts.edit.text) } } : entry
}

export const withText = <C extends Content | Act>(said: C, text: string): C =>
  isAct(said) ? said : ((withOwnWords(said, text) ?? said) as C)
