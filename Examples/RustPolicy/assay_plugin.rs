// The part of assay_plugin.h, version 1, that policies need.
#![allow(dead_code)]

use std::ffi::{c_char, c_void};

pub const VERSION: u32 = 1;
pub type Status = i32;
pub const OK: Status = 0;
pub const NO: Status = 0;
pub const YES: Status = 1;
pub const OBJECTS: u32 = 1;
pub const BYTES: u32 = 2;
pub const FAILED: Status = -1;
pub const USAGE: Status = -2;
pub const NO_MEMORY: Status = -3;

#[repr(C)]
pub struct Error {
    pub message: [c_char; 256],
}

#[repr(C)]
pub struct Parameter {
    pub name: *const c_char,
    pub summary: *const c_char,
    pub initial: *const c_char,
    pub choices: *const c_char,
    pub least: f64,
    pub most: f64,
    pub kind: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Value {
    pub text: *const c_char,
    pub integer: i64,
    pub number: f64,
}

#[repr(C)]
pub struct PolicyConfig {
    pub struct_size: u32,
    pub unit: u32,
    pub capacity: u64,
    pub object_count: u64,
    pub resident_limit: u64,
    pub seed: u64,
    pub values: *const Value,
    pub value_count: u64,
}

#[repr(C)]
pub struct Request {
    pub weight: u64,
    pub size: u64,
    pub index: u64,
    pub cost: f64,
    pub time_nanoseconds: i64,
    pub time_to_live_nanoseconds: i64,
    pub id: u32,
    pub upcoming: u32,
    pub approaching: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Block {
    pub ids: *const u32,
    pub count: u32,
    pub ahead: u32,
}

#[repr(C)]
pub struct Sink {
    pub context: *mut c_void,
    pub evicted: extern "C" fn(context: *mut c_void, id: u32),
    pub forgotten: extern "C" fn(context: *mut c_void, id: u32),
}

#[repr(C)]
pub struct Memory {
    pub per_object: f64,
    pub per_resident: f64,
    pub per_ghost: f64,
    pub per_object_in_bytes: f64,
    pub ghosts: f64,
}

type Hit = unsafe extern "C" fn(*mut c_void, *const Request, *mut Error) -> Status;
type Exchange = unsafe extern "C" fn(*mut c_void, *const Block, *mut u32, *mut Error) -> Status;
type NextVictim = unsafe extern "C" fn(*mut c_void, *const Request, *mut u32, *mut Error) -> Status;

#[repr(C)]
pub struct Policy {
    pub struct_size: u32,
    pub flags: u32,
    pub name: *const c_char,
    pub family: *const c_char,
    pub summary: *const c_char,
    pub citation: *const c_char,
    pub objects_only: *const c_char,
    pub memory: *const Memory,
    pub parameters: *const Parameter,
    pub parameter_count: u64,
    pub create: unsafe extern "C" fn(*const PolicyConfig, *mut *mut c_void, *mut Error) -> Status,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub hit: Option<Hit>,
    pub miss: unsafe extern "C" fn(*mut c_void, *const Request, *const Sink, *mut Error) -> Status,
    pub remove: unsafe extern "C" fn(*mut c_void, u32, *mut Error) -> Status,
    pub next_victim: Option<NextVictim>,
    pub exchange: Option<Exchange>,
}

#[repr(C)]
pub struct Plugin {
    pub version: u32,
    pub struct_size: u32,
    pub policies: *const &'static Policy,
    pub policy_count: u64,
    pub backends: *const *const c_void,
    pub backend_count: u64,
}

// They are never changed.
unsafe impl Sync for Policy {}
unsafe impl Sync for Plugin {}
