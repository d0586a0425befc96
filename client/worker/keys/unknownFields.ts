import { z } from 'zod'
import { textBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'

interface Bounded<T> {
  value: T
  hasDropped: boolean
}

interface Unknown {
  path: string
  bytes: number
}

const DEPTH_MAX = 8
const MEMBER_BYTES = 16

/**
 * Keeps at most `maxBytes` of fields that the shape does not know [Note: F2]. The smallest stay, so that two browsers drop the same
 * ones.
 */
export function boundUnknown<Shape extends z.ZodType>(
  shape: Shape,
  value: z.infer<Shape>,
  maxBytes: number = LIMITS.unknownBytes,
): Bounded<z.infer<Shape>> {
  const found: Unknown[] = []
  walk(shape, value, '', (path, name, field) => {
    found.push({ path, bytes: bytesOf(name, field) })
    return true
  })
  found.sort((a, b) => a.bytes - b.bytes || (a.path < b.path ? -1 : 1))
  const kept = new Set<string>()
  let left = maxBytes
  for (const { path, bytes } of found) {
    left -= bytes
    if (left < 0) break
    kept.add(path)
  }
  if (kept.size === found.length) return { value, hasDropped: false }
  return { value: walk(shape, value, '', (path) => kept.has(path)) as z.infer<Shape>, hasDropped: true }
}

type Keeps = (path: string, name: string, field: unknown) => boolean

/** Returns the value without the unknown fields that `keeps` refuses. */
function walk(shape: unknown, value: unknown, path: string, keeps: Keeps): unknown {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable || shape instanceof z.ZodDefault)
    return walk(shape.unwrap(), value, path, keeps)
  if (shape instanceof z.ZodArray && Array.isArray(value))
    return value.map((one: unknown, at) => walk(shape.element, one, `${path}/${at}`, keeps))
  if (typeof value !== 'object' || value === null) return value
  if (shape instanceof z.ZodRecord) {
    const each = Object.entries(value).map(([name, one]) => [name, walk(shape.valueType, one, `${path}/${name}`, keeps)])
    return Object.fromEntries(each)
  }
  if (!(shape instanceof z.ZodObject)) return value
  const known: Record<string, unknown> = shape.shape
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    if (Object.hasOwn(known, name)) return [[name, walk(known[name], field, `${path}/${name}`, keeps)]]
    return keeps(`${path}/${name}`, name, field) ? [[name, field]] : []
  })
  return Object.fromEntries(fields)
}

/** Infinite for what nests so deep that writing it could fail. Small ones count more, for a server counts members. */
function bytesOf(name: string, field: unknown): number {
  const members = membersOf(field)
  return members === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(textBytes(JSON.stringify({ [name]: field })), members * MEMBER_BYTES)
}

/** Undefined if it is too deep. */
function membersOf(field: unknown): number | undefined {
  let level = [field]
  let members = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return undefined
    members += level.length
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return members
}
