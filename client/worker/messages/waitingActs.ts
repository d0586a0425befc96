import { z } from 'zod'
import type { MessageName } from '../vault/storedMessage.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

/** Acts that wait for one message: the newest. */
const ACTS_MAX = 100
/** Places of one person that the server may have emptied: the newest. */
const PLACES_MAX = 1000
/** A list of all keys costs more than so few looks. */
const FEW = 20

export const waitingActsIn = (chatRoomId: string) => `acts:${chatRoomId}:`
const nameKey = ({ chatRoomId, senderId, id }: MessageName) => `${waitingActsIn(chatRoomId)}${senderId}/${id}`
const placesKey = ({ chatRoomId, senderId }: Author) => `${waitingActsIn(chatRoomId)}${senderId}/@`

type Author = Pick<MessageName, 'chatRoomId' | 'senderId'>

const seqsShape = z.array(z.number())
const placesShape = z.array(z.tuple([z.number(), z.number()]))

/** Rows as they become; the caller commits `writes()`. */
export function openWaiting(vault: Vault, chatRoomId: string) {
  const names = new Map<string, number[]>()
  const places = new Map<string, Map<number, number>>()

  async function seqsOf(key: string): Promise<number[]> {
    const row = names.has(key) ? undefined : await vault.get('sealed', key)
    return names.get(key) ?? (row ? jsonOf(seqsShape, row) : [])
  }

  async function placesOf(author: Author): Promise<Map<number, number>> {
    const key = placesKey(author)
    const row = places.has(key) ? undefined : await vault.get('sealed', key)
    return places.get(key) ?? new Map(row ? jsonOf(placesShape, row) : [])
  }

  return {
    /** Notes that the act at `seq` waits for this message. */
    async addName(name: MessageName, seq: number): Promise<void> {
      const key = nameKey(name)
      names.set(key, [...new Set([...(await seqsOf(key)), seq])].slice(-ACTS_MAX))
    },

    /** Notes that the act at `seq` waits for this place. `isWeak`: unless another does. */
    async addPlace(author: Author, place: number, seq: number, isWeak = false): Promise<void> {
      const known = await placesOf(author)
      if (isWeak && known.has(place)) return
      places.set(placesKey(author), new Map([...known, [place, seq] as const].slice(-PLACES_MAX)))
    },

    /** By index. */
    async takeNames(wanted: MessageName[]): Promise<number[][]> {
      const isKnown = wanted.length > FEW ? new Set(await vault.keys('sealed', waitingActsIn(chatRoomId))) : undefined
      return Promise.all(
        wanted.map(nameKey).map(async (key) => {
          if (isKnown && !isKnown.has(key)) return []
          const seqs = await seqsOf(key)
          if (seqs.length > 0) names.set(key, [])
          return seqs
        }),
      )
    },

    async takePlace(author: Author, place: number): Promise<number | undefined> {
      const known = new Map(await placesOf(author))
      const seq = known.get(place)
      if (known.delete(place)) places.set(placesKey(author), known)
      return seq
    },

    isWaiting: (): boolean =>
      [...names.values(), ...places.values()].some((found) => ('size' in found ? found.size : found.length) > 0),

    writes(): Write[] {
      const rows = [...names, ...[...places].map(([key, found]) => [key, [...found]] as const)]
      return rows.map(([key, json]): Write => ({ store: 'sealed', key, value: json.length > 0 ? { json } : null }))
    },
  }
}
