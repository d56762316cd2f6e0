/**
 * For checkers alone: the database and the bucket behind the demo. The suite remains a black box in that it
 * imports nothing from the program; what it knows about tables and keys is restated here and in its checkers.
 */
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import pg from 'pg';
import { engineS3 } from '../../../tools/demo/bucket.ts';
import { demoEnvironment } from '../../../tools/demo/environment.ts';
import { adminJson } from './admin.ts';

/** The inside of one Waybill: the demo's, or a test's own. */
export interface Inside {
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  objectKeys(prefix?: string): Promise<string[]>;
  /** Does now what a worker does every minute. */
  sweep(): Promise<void>;
  /** Moves everything that waits for a time closer to it. The demo's time is shared, and cannot be moved. */
  advance?(seconds: number): Promise<void>;
}

const s3 = engineS3();
let pool: pg.Pool | undefined;
const demoBucket = () => demoEnvironment()['WAYBILL_S3_BUCKET'] ?? '';

/**
 * A pool whose lost connections do not end the process. `end` resolves before the connections are closed, so if the
 * database is dropped right after it, they still report 57P01, and PostgreSQL may restart at any time. A query in
 * progress fails in any case.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const opened = new pg.Pool(config);
  opened.on('error', () => undefined);
  opened.on('connect', (client) => client.on('error', () => undefined));
  return opened;
}

export async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  pool ??= openPool({
    connectionString: demoEnvironment()['WAYBILL_DATABASE_URL'],
    max: 2,
    application_name: 'waybill-judge',
    // A pool that nobody closed must not keep a test's process from ending.
    allowExitOnIdle: true,
  });
  return (await pool.query(sql, values)).rows as Row[];
}

/** A file is stored as numbered objects under its id. */
export function chunkKey(fileId: string, chunk: number): string {
  return `${fileId}/${chunk.toString().padStart(8, '0')}`;
}

/** Lists the objects of files and keys. Those of the log belong to no row: `waybilld admin log check` examines them. */
export async function objectKeys(prefix = '', bucket = demoBucket()): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: prefix })) {
    for (const { Key } of page.Contents ?? []) if (Key !== undefined && !Key.startsWith('log/')) keys.push(Key);
  }
  return keys;
}

export async function readObject(key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: demoBucket(), Key: key }));
  if (Body === undefined) throw new Error(`${key} has no body`);
  return Buffer.from(await Body.transformToByteArray());
}

export async function writeObject(key: string, body: Buffer): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: demoBucket(), Key: key, Body: body }));
}

export async function copyObject(from: string, to: string): Promise<void> {
  await s3.send(new CopyObjectCommand({ Bucket: demoBucket(), Key: to, CopySource: `${demoBucket()}/${from}` }));
}

export async function deleteObject(key: string): Promise<void> {
  await s3.send(new DeleteObjectCommand({ Bucket: demoBucket(), Key: key }));
}

export async function sweep(): Promise<void> {
  await adminJson(['sweep', '--json']);
}

export const demoInside: Inside = { query, objectKeys, sweep };
