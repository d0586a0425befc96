import { Phone } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { callTitle, isMissed } from '../../../contract/chat/kinds/call.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { nameOf } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { useEnv, useNow } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { NotRead } from '../../ui/NotRead.tsx'
import { moment, relativeTime } from '../../ui/time.ts'
import { CallAgain } from '../callline/CallAgain.tsx'
import { CallIcon } from '../callline/CallLine.tsx'
import { callDetails } from '../callline/lineWords.ts'
import { type CallListing, followNewest, type ListedCall, newestCalls, newListing, readMore, withCalls } from './listedCalls.ts'
import './callList.css'

/** Lines that are wanted at once. */
const STEP = 30

interface Props {
  onOpenChat: (chatRoomId: string) => void
  onClose: () => void
}

/** All calls of the chats that are open in this browser, newest first, made from the chats’ own lines. */
export function CallList({ onOpenChat, onClose }: Props) {
  const [tab, setTab] = useState<'all' | 'missed'>('all')
  const [wanted, setWanted] = useState(STEP)
  const { calls, isWhole, isReading, failure, retry } = useListing(tab, wanted)
  const open = (chatRoomId: string) => {
    onClose()
    onOpenChat(chatRoomId)
  }
  return (
    <Dialog title="Calls" onClose={onClose}>
      <Tabs.Root
        className="calls-list"
        value={tab}
        onValueChange={(next) => {
          setTab(next === 'missed' ? 'missed' : 'all')
          setWanted(STEP)
        }}
      >
        <Tabs.List className="calls-tabs" aria-label="Which calls">
          <Tabs.Trigger value="all" data-first={tab === 'all' ? '' : undefined}>
            All
          </Tabs.Trigger>
          <Tabs.Trigger value="missed" data-first={tab === 'missed' ? '' : undefined}>
            Missed
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value={tab} tabIndex={-1}>
          <ul>
            {calls.slice(0, wanted).map((call) => (
              <Listed key={`${call.chatRoomId} ${call.seq}`} listed={call} onOpen={open} />
            ))}
          </ul>
          {isReading ? (
            <p className="small t2 late" role="status">
              Looking further back...
            </p>
          ) : failure !== null ? (
            <NotRead words="Your calls could not be read." failure={failure} onRetry={retry} />
          ) : calls.length === 0 ? (
            <Empty
              icon={Phone}
              title={tab === 'missed' ? 'No missed calls' : 'No calls'}
              text="From the chats that this browser has open."
            />
          ) : (
            (calls.length > wanted || !isWhole) && (
              <button type="button" className="btn quiet wide" onClick={() => setWanted(wanted + STEP)}>
                Show older calls
              </button>
            )
          )}
        </Tabs.Content>
      </Tabs.Root>
    </Dialog>
  )
}

interface ListedProps {
  listed: ListedCall
  onOpen: (chatRoomId: string) => void
}

function Listed({ listed: { chatRoomId, at, isMine, call }, onOpen }: ListedProps) {
  const now = useNow(60_000)
  const chat = useDirectChat(useStore(roomsStore, ({ rooms }) => rooms.get(chatRoomId)))
  if (!chat) return null
  const time = new Date(at)
  const name = nameOf(chat.person)
  return (
    <li className={isMissed(call, isMine) ? 'bad' : undefined}>
      <button type="button" className="calls-main" onClick={() => onOpen(chatRoomId)}>
        <CallIcon call={call} isMine={isMine} />
        <span className="calls-words">
          <b className="cut" dir="auto">
            {name}
          </b>
          <small>
            <span>{callTitle(call, isMine)}</span> ·{' '}
            <time dateTime={at} title={moment(time)}>
              {relativeTime(time, now)}
            </time>
            {callDetails(call, isMine).map((detail) => ` · ${detail}`)}
          </small>
        </span>
      </button>
      <CallAgain chatRoomId={chatRoomId} callType={call.callType} words={isMine ? 'Call again' : 'Call back'} />
    </li>
  )
}

/** Reads page by page until the tab has as many lines as it wants. */
function useListing(tab: 'all' | 'missed', wanted: number) {
  const env = useEnv()
  const [listing, setListing] = useState<CallListing>(() => newListing(roomsStore.getState().rooms.values()))
  const [failure, setFailure] = useState<string | null>(null)
  const { isWhole } = listing
  const calls = tab === 'all' ? listing.calls : listing.calls.filter(({ call, isMine }) => isMissed(call, isMine))
  const isReading = !isWhole && failure === null && calls.length < wanted
  useEffect(() => {
    if (!isReading) return
    let isShown = true
    readMore(env, listing).then(
      (next) => isShown && setListing(next),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, listing, isReading])
  useEffect(() => {
    let isShown = true
    const off = followNewest((room) => {
      newestCalls(env, room).then(
        (found) => isShown && setListing((now) => withCalls(now, found)),
        (error: unknown) => isShown && setFailure(failureWords(error)),
      )
    })
    return () => {
      isShown = false
      off()
    }
  }, [env])
  return { calls, isWhole, isReading, failure, retry: () => setFailure(null) }
}
