import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { peopleStore } from '../trust/people.ts'
import { type DirectChat, faceOf, personOfDirect, type RoomFace } from './members.ts'
import { isDirect, type Room } from './room.ts'
import type { RoomRow } from './roomList.ts'

/** What stands for a room now. */
export const useFace = (room: Room): RoomFace | undefined =>
  useStore(
    peopleStore,
    useShallow(({ people }) => faceOf(room, people)),
  )

/** A direct room with its person as they are now; undefined for any other room. What others do draws nothing anew. */
export function useDirectChat(room: RoomRow | undefined): DirectChat | undefined {
  const person = useStore(peopleStore, ({ people }) => room && personOfDirect(room, people))
  return room && person && isDirect(room) ? { room, person } : undefined
}
