import { ChevronRight, Inbox } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Tier } from '../../contract/money/plans.ts'
import { later } from '../ui/later.tsx'
import { useNotices } from './useNotices.tsx'
import './noticeLine.css'

const NoticeSheet = later(async () => (await import('./NoticeSheet.tsx')).NoticeSheet)

interface Props {
  tier: Tier
  onGo: (address: string) => void
  isSafetyOnly?: boolean
  isKitSaid?: boolean
}

/** The one line that tells of all that asks for the person, above the list. It opens the sheet of them. */
export function NoticeLine({ tier, onGo, isSafetyOnly = false, isKitSaid = false }: Props) {
  const notices = useNotices({ tier, isSafetyOnly, isKitSaid })
  const [isOpen, setOpen] = useState(false)
  const [first] = notices.words
  // The line may be lost before somebody presses.
  useEffect(() => void NoticeSheet.preload(), [])
  if (first === undefined && isOpen) setOpen(false)
  const words = titleOf(notices.words.length)
  return (
    <div className={isSafetyOnly ? 'notice-line strip' : 'notice-line'} role="status" aria-label="Notices">
      {first !== undefined && (
        <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Inbox className="i" aria-hidden />
          <b className="cut" dir="auto">
            {notices.words.length === 1 ? first : words}
          </b>
          <ChevronRight className="i i-16" aria-hidden />
        </button>
      )}
      {isOpen && first !== undefined && (
        <NoticeSheet title={words} notices={notices} onGo={onGo} onClose={() => setOpen(false)} />
      )}
    </div>
  )
}

const titleOf = (count: number): string => (count === 1 ? 'One thing for you' : `${count} things for you`)
