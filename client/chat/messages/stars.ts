import type { Target } from '../../../contract/chat/content.ts'
import { starredBy } from '../../../contract/chat/kinds/star.ts'
import type { Marks } from '../../worker/crypto.ts'

export interface StarredMessage extends Target {
  chatRoomId: string
  /** Its seq. */
  at: number
  /** The place of the star in the notes. */
  place: number
}

/** The last star comes first. */
export const starsIn = (marks: Marks): StarredMessage[] =>
  Object.entries(marks)
    .flatMap(([chatRoomId, told]) =>
      Object.entries(told).flatMap(([name, { on, at, seq }]) => {
        const target = on ? starredBy(name) : undefined
        return target ? [{ chatRoomId, ...target, at, place: seq }] : []
      }),
    )
    .sort((one, other) => other.place - one.place)
