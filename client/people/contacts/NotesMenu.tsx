import { NOTES } from '../../rooms/list/room.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { Menu, type Point } from '../../ui/Menu.tsx'
import { markItems } from './markItems.tsx'

interface Props {
  room: RoomRow
  at: Point
  onClose: () => void
}

export const NotesMenu = ({ room, at, onClose }: Props) => (
  <Menu label={`Actions for ${NOTES}`} at={at} items={markItems(useEnv(), room, NOTES)} onClose={onClose} />
)
