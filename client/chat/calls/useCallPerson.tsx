import { useStore } from 'zustand'
import type { DirectChat } from '../../rooms/list/members.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { nameOf, type Person, peopleStore } from '../../rooms/trust/people.ts'
import { callStore } from './callState.ts'
import { shortName } from './viewWords.ts'

interface Called {
  person: Person | undefined
  chat: DirectChat | undefined
  id: string
  name: string
  short: string
}

/** Who is at the other end of the call. */
export function useCallPerson(): Called {
  const id = useStore(callStore, ({ participants }) => participants[0] ?? '')
  const chatRoomId = useStore(callStore, (call) => call.chatRoomId ?? '')
  const person = useStore(peopleStore, ({ people }) => people.get(id))
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  const name = person ? nameOf(person) : ''
  return { person, chat, id, name, short: shortName(name) }
}
