import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { peopleStore } from '../trust/people.ts'
import { type DirectChat, faceOf, personOfDirect, type RoomFace } from './members.ts'
import { isDirect, type Room } from './room.ts'
import type { RoomRow } from './roomList.ts'

export const useFace = (room: Room): RoomFace | undefined =>
  useStore(
    peopleStore,
    useShallow(({ people }) => faceOf(room, people)),
  )

export function useDirectChat(room: RoomRow | undefined): DirectChat | undefined {
  const person = useStore(peopleStore, ({ people }) => room && personOfDirect(room, people))
  return room && person && isDirect(room) ? { room, person } : undefined
}
