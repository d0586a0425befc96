import { Refusal } from '../../refuse.ts'

const ANSWER_MS = 5000
const RETRY_SECONDS = 2

/** Combines concurrent questions into one later query. Throws the query's error, and Refusal `unavailable` after 5 s. */
export function askTogether<Answer>(
  ask: (keys: string[]) => Promise<Map<string, Answer>>,
): (key: string) => Promise<Answer | undefined> {
  let waiting: Group<Answer> | undefined
  let isUnderWay = false

  function start(): void {
    if (!waiting || isUnderWay) return
    const { keys, settle } = waiting
    waiting = undefined
    isUnderWay = true
    const answers = inTime(ask([...keys]), ANSWER_MS)
    settle(answers)
    const end = () => {
      isUnderWay = false
      start()
    }
    answers.then(end, end)
  }

  return async (key) => {
    waiting ??= newGroup()
    const { keys, answers } = waiting
    keys.add(key)
    start()
    return (await answers).get(key)
  }
}

interface Group<Answer> {
  keys: Set<string>
  answers: Promise<Map<string, Answer>>
  settle: (answers: Promise<Map<string, Answer>>) => void
}

function newGroup<Answer>(): Group<Answer> {
  let settle: Group<Answer>['settle'] = () => undefined
  const answers = new Promise<Map<string, Answer>>((resolve) => {
    settle = resolve
  })
  return { keys: new Set(), answers, settle }
}

/** Throws Refusal `unavailable` after `limitMs`: a suspended database never answers. */
export function inTime<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Refusal('unavailable', { retryAfterSeconds: RETRY_SECONDS }))
    const timer = setTimeout(late, limitMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
