import type { ReactNode } from 'react'
import type { TransferContent } from '../../../contract/chat/content.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import type { Held } from '../files/openedFiles.ts'
import type { ListedFile } from '../files/sharedPage.ts'
import { heldTransfer } from '../transferline/heldTransfer.ts'
import { Named } from '../transferline/Named.tsx'
import { stageWords, UNKNOWN } from '../transferline/stageWords.ts'
import { useOtherName, useTransfer } from '../transferline/useTransfer.tsx'

export interface Shown {
  line: ListedFile & Held
  /** What became of it. */
  state?: ReactNode
  /** It cannot be opened here. */
  isAway: boolean
}

interface Props {
  line: ListedFile
  room: RoomRow
  children: (shown: Shown) => ReactNode
}

/** A file that went from browser to browser opens where it is; any other everywhere. */
export const Direct = ({ line, ...shown }: Props) =>
  line.transfer ? <Transferred {...shown} line={line} content={line.transfer} /> : shown.children({ line, isAway: false })

function Transferred({ content, line, room, children }: Props & { content: TransferContent }) {
  const { chatRoomId, senderId, at } = line
  const isMine = senderId === room.ownId
  const known = useTransfer({ content, chatRoomId, isMine, at })
  const name = useOtherName(chatRoomId)
  const { read } = heldTransfer({ chatRoomId, content })
  return children({
    line: { ...line, ...(read && { read }) },
    state: known ? <Named words={(placed) => stageWords(known, placed)} name={name} /> : UNKNOWN,
    isAway: known?.stage !== 'done' || !known.isHere || isMine,
  })
}
