package com.example.shop;

/** The payload of a task that confirms an order. */
public record OrderMail(long order, String customer) {}
