import { FileText, Images, Link, LoaderCircle, Search } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useEffect, useMemo, useState } from 'react'
import { type ListedFile, type Shared, sharedIn } from '../files/list.ts'
import { isShutRow, type RoomRow } from '../rooms/list.ts'
import { loadAllOlder, stopOlder } from '../search/older.ts'
import { useOlder } from '../search/useOlder.tsx'
import { nameOf, type Person } from '../trust/people.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { later } from '../ui/later.tsx'
import { NotRead } from '../ui/NotRead.tsx'
import { FileLine, LinkLine } from './Line.tsx'
import { type Tab, tabsOf } from './shared.ts'
import './shared.css'

const Viewer = later(async () => (await import('../files/Viewer.tsx')).Viewer)

/** Lines that are shown before more are asked for. */
const STEP = 60

const TABS: Record<Tab, { words: string; icon: typeof Images; none: string }> = {
  media: { words: 'Media', icon: Images, none: 'No photos, videos or sounds' },
  documents: { words: 'Documents', icon: FileText, none: 'No documents' },
  links: { words: 'Links', icon: Link, none: 'No links' },
}

interface Props {
  room: RoomRow
  person: Person
  onClose: () => void
}

/** What a chat has shared: media, documents and links, as far as this browser has its messages. */
export function SharedFiles({ room, person, onClose }: Props) {
  const env = useEnv()
  const [shared, setShared] = useState<Shared>()
  const [failure, setFailure] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  const [typed, setTyped] = useState('')
  const [viewed, setViewed] = useState<ListedFile>()
  const { isLoading } = useOlder()
  const isShut = isShutRow(room)
  // biome-ignore lint/correctness/useExhaustiveDependencies: news, older messages and another attempt are occasions to look again
  useEffect(() => {
    if (isShut) return onClose()
    let isShown = true
    sharedIn(env, room.id).then(
      (found) => isShown && setShared(found),
      (error: unknown) => isShown && setFailure(failureWords(error)),
    )
    return () => {
      isShown = false
    }
  }, [env, room.id, room.lastSeq, isShut, isLoading, tries])
  const tabs = useMemo(() => shared && tabsOf(shared, typed), [shared, typed])

  function retry() {
    setFailure(null)
    setTries(tries + 1)
  }

  if (isShut) return null
  return (
    <>
      <Dialog title="Shared files" text={`With ${nameOf(person)}`} onClose={onClose}>
        <div className="shared">
          <label className="input">
            <Search className="i i-16" aria-hidden />
            <span className="sr">Filter by name, caption or address</span>
            <input
              type="text"
              placeholder="Filter"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
          {tabs ? (
            <Tabs.Root defaultValue="media">
              <Tabs.List className="shared-tabs" aria-label="Kinds">
                {(Object.keys(TABS) as Tab[]).map((tab) => (
                  <Tabs.Trigger key={tab} value={tab}>
                    {TABS[tab].words} <span>{tabs[tab].length}</span>
                  </Tabs.Trigger>
                ))}
              </Tabs.List>
              <List tab="media" lines={tabs.media} isFiltered={typed !== ''}>
                {(line) => <FileLine key={line.seq} line={line} room={room} onView={() => setViewed(line)} onLeave={onClose} />}
              </List>
              <List tab="documents" lines={tabs.documents} isFiltered={typed !== ''}>
                {(line) => <FileLine key={line.seq} line={line} room={room} onLeave={onClose} />}
              </List>
              <List tab="links" lines={tabs.links} isFiltered={typed !== ''}>
                {(line) => <LinkLine key={`${line.seq} ${line.address}`} line={line} room={room} onLeave={onClose} />}
              </List>
            </Tabs.Root>
          ) : (
            <NotRead words="What was shared could not be read." failure={failure} onRetry={retry} />
          )}
          {shared?.hasOlder && <Older room={room} />}
        </div>
      </Dialog>
      {viewed && <Viewer held={viewed} onClose={() => setViewed(undefined)} />}
    </>
  )
}

interface ListProps<Line> {
  tab: Tab
  lines: Line[]
  isFiltered: boolean
  children: (line: Line) => React.ReactNode
}

function List<Line>({ tab, lines, isFiltered, children }: ListProps<Line>) {
  const [shown, setShown] = useState(STEP)
  return (
    <Tabs.Content value={tab} tabIndex={-1}>
      {lines.length === 0 ? (
        <Empty icon={TABS[tab].icon} title={isFiltered ? 'Nothing found' : TABS[tab].none} />
      ) : (
        <ul className="shared-list">{lines.slice(0, shown).map(children)}</ul>
      )}
      {lines.length > shown && (
        <button type="button" className="btn quiet" onClick={() => setShown(shown + STEP)}>
          Show more ({lines.length - shown})
        </button>
      )}
    </Tabs.Content>
  )
}

/** Older messages that are on the server alone: how they are read too. */
function Older({ room }: { room: RoomRow }) {
  const env = useEnv()
  const { isLoading, failure } = useOlder()
  useEffect(() => stopOlder, [])
  return (
    <div className="shared-older">
      {isLoading ? (
        <p role="status">
          <LoaderCircle className="i i-16 spin" aria-hidden /> Loading older messages
        </p>
      ) : (
        <p role={failure ? 'alert' : undefined}>
          {failure ? `Older messages could not be loaded. ${failure}` : 'From the messages that this browser has loaded.'}
        </p>
      )}
      <button type="button" className="linkish" onClick={isLoading ? stopOlder : () => void loadAllOlder(env, [room])}>
        {isLoading ? 'Cancel' : failure ? 'Try again' : 'Look in older messages too'}
      </button>
    </div>
  )
}
