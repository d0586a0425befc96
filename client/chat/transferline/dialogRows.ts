import { isQuestion } from './stageWords.ts'
import type { Transfer } from './transferState.ts'

const ORDER: Transfer['stage'][] = ['offered', 'moving', 'connecting', 'waiting', 'paused', 'done', 'elsewhere', 'over']
const rank = ({ stage, isMine }: Transfer) => (stage === 'offered' && isMine ? ORDER.indexOf('paused') : ORDER.indexOf(stage))

/** What asks for something first, then what moves, then what is over. */
export const sortedTransfers = (transfers: Transfer[]): Transfer[] => transfers.sort((a, b) => rank(a) - rank(b))

/** The first own offer that waits for an answer of this person. */
export const askedOf = (transfers: Iterable<Transfer>, chatRoomId: string): string | undefined =>
  [...transfers].find((one) => one.chatRoomId === chatRoomId && one.isMine && isQuestion(one.refusal))?.content.transferId
